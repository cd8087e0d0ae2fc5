import { useQuery } from '@tanstack/react-query';
import { shortId } from '../../lib/format.ts';
import { useCan } from '../shell/useCan.ts';
import { memberQuery } from './queries.ts';

/** Returns the name of a member; a short id where it is not known, '' without an id. */
export function useMemberName(org: string, id: string | undefined): string {
  const canRead = useCan(org, 'org:read');
  const { data } = useQuery({ ...memberQuery(org, id ?? ''), enabled: canRead && id !== undefined && id !== 'me' });
  if (id === undefined) return '';
  if (data === undefined) return shortId(id);
  return data.name === '' ? data.email : data.name;
}
