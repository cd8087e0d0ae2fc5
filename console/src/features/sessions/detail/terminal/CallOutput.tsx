import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../../lib/api.ts';
import { Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { linesOf } from '../../timeline/output.ts';
import { eventsOf } from '../queries.ts';
import { OutputView } from './OutputView.tsx';
import { useWhole } from './useWhole.ts';

/** The whole result of a tool call. */
export function CallOutput({ org, session, call }: { org: string; session: Session; call: string }) {
  const query = useQuery({
    queryKey: ['session-log', org, session.id, 'call', call],
    queryFn: async ({ signal }) => {
      const results = await eventsOf(org, session.id, 'tool_result', {}, signal);
      return results.find(({ data }) => data.call_id === call)?.data ?? null;
    },
  });
  if (query.isPending) return <SkeletonRows rows={8} height={20} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === null) return <p className="px-4 py-4 text-ink-2">The result of this call is not in the log.</p>;
  const { artifact_id: artifact, output } = query.data;
  if (artifact === null || artifact === '') return <OutputView lines={linesOf(output)} label="Output" />;
  return <Stored org={org} session={session.id} artifact={artifact} />;
}

function Stored({ org, session, artifact }: { org: string; session: string; artifact: string }) {
  const { lines, error } = useWhole(org, session, { kind: 'artifact', id: artifact }, 0);
  if (error !== undefined) return <Failed error={error} retry={() => location.reload()} />;
  return <OutputView lines={lines} label="Output" />;
}
