import { useQuery } from '@tanstack/react-query';
import { selfQuery } from './organizations.ts';

/** Returns true if the person has a scope in the organization. */
export function useCan(org: string, scope: string): boolean {
  return useMay(org, scope) ?? false;
}

/** Returns true if the person has a scope in the organization; undefined until that is known. */
export function useMay(org: string, scope: string): boolean | undefined {
  return useQuery(selfQuery(org)).data?.scopes.includes(scope);
}
