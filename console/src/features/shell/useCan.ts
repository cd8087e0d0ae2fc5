import { useQuery } from '@tanstack/react-query';
import { selfQuery } from './organizations.ts';

/** Returns true if the person has a scope in the organization. */
export function useCan(org: string, scope: string): boolean {
  return useQuery(selfQuery(org)).data?.scopes.includes(scope) ?? false;
}
