import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../lib/api.ts';
import { checkpointsQuery } from './queries.ts';

/** True for a session that failed before its first checkpoint: nothing continues it. Undefined until that is known. */
export function useIsLost(org: string, { id, status }: Session): boolean | undefined {
  const isFailed = status === 'failed';
  const { data, isError } = useQuery({ ...checkpointsQuery(org, id), enabled: isFailed });
  if (!isFailed || (isError && data === undefined)) return false;
  return data && data.items.length === 0;
}
