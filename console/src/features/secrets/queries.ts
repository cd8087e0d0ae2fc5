import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Secret = Schemas['Secret'];
export type SecretScope = Secret['scope'];
export type SecretKind = Secret['kind'];

export const secretsPath = '/v3/organizations/{orgId}/secrets';

/** Which sessions get a secret, by its scope. */
export const scopes = [
  ['organization', 'Every session'],
  ['repository', 'Sessions on one repository'],
  ['user', 'Only my own sessions'],
] as const satisfies readonly (readonly [SecretScope, string])[];

export const kinds = [
  ['env', 'A variable'],
  ['file', 'A file, with its path in the variable'],
  ['git_credential', 'A credential for git over HTTPS'],
] as const satisfies readonly (readonly [SecretKind, string])[];

/** Where a secret is stored. */
export interface Place {
  scope: SecretScope;
  /** `owner/name` for the scope `repository`, else ''. */
  repo: string;
}

export interface SecretFilters {
  /** Part of the name. */
  q?: string;
  scope?: SecretScope;
  repo?: string;
}

export function isScope(value: string | undefined): value is SecretScope {
  return scopes.some(([scope]) => scope === value);
}

export function secretFiltersOf(search: Record<string, unknown>): SecretFilters {
  const { scope, ...rest } = textsOf(search, ['q', 'scope', 'repo']);
  return { ...rest, ...(isScope(scope) ? { scope } : {}) };
}

export function secretsQuery(org: string, filters: SecretFilters) {
  const { q: search, ...rest } = filters;
  return listOptions<Secret>(keys.list(org, 'secrets', filters), (page, signal) => {
    const query = { ...page, ...rest, ...(search === undefined ? {} : { search }) };
    return unwrap(apiOf(org).GET(secretsPath, { params: { query }, signal }));
  });
}

/** All secrets of a place: it holds at most 100. */
export function secretsOfQuery(org: string, { scope, repo }: Place) {
  const query = { first: 200, scope, ...(scope === 'repository' ? { repo } : {}) };
  return queryOptions({
    queryKey: keys.list(org, 'secrets', { all: query }),
    queryFn: async ({ signal }) => (await unwrap(apiOf(org).GET(secretsPath, { params: { query }, signal }))).items,
    enabled: scope !== 'repository' || repo !== '',
  });
}

export function secretQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'secrets', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${secretsPath}/{id}`, { params: { path: { id } }, signal })),
  });
}

export function usageQuery(org: string, id: string) {
  return listOptions<Schemas['SecretUse']>(keys.part(org, 'secrets', id, 'usage'), (query, signal) =>
    unwrap(apiOf(org).GET(`${secretsPath}/{id}/usage`, { params: { path: { id }, query }, signal })),
  );
}
