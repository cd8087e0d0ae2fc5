import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../../lib/api.ts';
import { count, duration, money } from '../../../../lib/format.ts';
import { Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { modelCallsQuery, usageQuery } from '../queries.ts';
import { limitsOf, turnsOf, type Amounts } from './cost.ts';
import { tableClass } from './table.ts';
import { Insights } from './Insights.tsx';
import { ToolTable } from './ToolTable.tsx';

/** What the session used: against its limits, by model and by turn; what its tools took, and where the time went. */
export function CostTab({ org, session }: { org: string; session: Session }) {
  const usage = useQuery(usageQuery(org, session.id));
  const calls = useQuery(modelCallsQuery(org, session.id));
  if (usage.isPending || calls.isPending) return <SkeletonRows rows={8} height={32} />;
  const failed = usage.error ?? calls.error;
  if (usage.data === undefined || calls.data === undefined)
    return <Failed error={failed} retry={() => void Promise.all([usage.refetch(), calls.refetch()])} />;
  const turns = turnsOf(calls.data);
  const limits = limitsOf(session, turns.length);
  return (
    <div className="flex flex-col gap-6 overflow-auto px-4 py-4">
      <p className="text-figure">
        <span className="mono">{money(usage.data.cost_usd)}</span>{' '}
        <span className="text-base text-ink-3">
          and {duration(usage.data.sandbox_seconds * 1_000)} of sandbox time; child sessions are not included
        </span>
      </p>
      {limits.length > 0 && (
        <section aria-label="Limits" className="flex flex-col gap-2">
          {limits.map(({ name, used, allowed, share }) => (
            <div key={name}>
              <p className="flex justify-between gap-2">
                <span>{name}</span>
                <span className="mono">
                  {used} of {allowed}
                </span>
              </p>
              <div
                role="meter"
                aria-label={name}
                aria-valuemin={0}
                aria-valuemax={1}
                aria-valuenow={share}
                className="mt-1 h-1.5 overflow-hidden rounded-chip bg-sunken"
              >
                <div className="h-full bg-accent" style={{ width: `${100 * share}%` }} />
              </div>
            </div>
          ))}
        </section>
      )}
      <AmountTable caption="By model" rows={usage.data.by_model.map((one) => ({ ...one, name: one.model }))} />
      <AmountTable caption="By turn" rows={turns.map((one) => ({ ...one, name: `Turn ${one.turn}` }))} />
      <ToolTable org={org} id={session.id} />
      <Insights org={org} id={session.id} />
    </div>
  );
}

function AmountTable({ caption, rows }: { caption: string; rows: readonly (Amounts & { name: string })[] }) {
  return (
    <table className={tableClass}>
      <caption className="pb-1 text-left font-medium">{caption}</caption>
      <thead>
        <tr>
          <td className="border-0! pl-0!" />
          <th scope="col">in</th>
          <th scope="col" className="hidden sm:table-cell">
            of it cached
          </th>
          <th scope="col">out</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <td className="pl-0! text-left break-all">{row.name}</td>
            <td className="mono">{count(row.input_tokens)}</td>
            <td className="mono hidden sm:table-cell">{count(row.cached_input_tokens)}</td>
            <td className="mono">{count(row.output_tokens)}</td>
            <td className="mono" title={`$${row.cost_usd}`}>
              {money(row.cost_usd)}
            </td>
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colSpan={5} className="pl-0! text-left text-ink-3">
              No model was called yet.
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
