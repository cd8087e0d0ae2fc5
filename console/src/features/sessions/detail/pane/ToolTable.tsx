import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { count, duration } from '../../../../lib/format.ts';
import { Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { toolCallsQuery } from '../queries.ts';
import { tableClass } from './table.ts';
import { toolGroupsOf } from './tools.ts';

/** What each kind of tool took. It reads all calls and results of the log, so only who opens it asks for them. */
export function ToolTable({ org, id }: { org: string; id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer font-medium pointer-coarse:min-h-11">By tool</summary>
      {isOpen && <Groups org={org} id={id} />}
    </details>
  );
}

function Groups({ org, id }: { org: string; id: string }) {
  const query = useQuery(toolCallsQuery(org, id));
  if (query.isPending) return <SkeletonRows rows={4} height={28} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const groups = toolGroupsOf(query.data.calls, query.data.results);
  return (
    <>
      <p className="py-1 text-ink-2">
        Models are paid by call, and one call can ask for several tools: a tool has a time, but no cost of its own.
      </p>
      <table className={tableClass} aria-label="By tool">
        <thead>
          <tr>
            <td className="border-0! pl-0!" />
            <th scope="col">calls</th>
            <th scope="col">failed</th>
            <th scope="col">time</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, calls, failed, durationMs }) => (
            <tr key={name}>
              <td className="pl-0! text-left">{name}</td>
              <td className="mono">{count(calls)}</td>
              <td className="mono">{count(failed)}</td>
              <td className="mono">{duration(durationMs)}</td>
            </tr>
          ))}
          {groups.length === 0 && (
            <tr>
              <td colSpan={4} className="pl-0! text-left text-ink-3">
                No tool was called yet.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </>
  );
}
