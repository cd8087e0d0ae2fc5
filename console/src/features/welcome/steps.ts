import { queryOptions } from '@tanstack/react-query';
import { api, apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

/** The steps from a new installation to the first merged change. */
export type StepId = 'password' | 'model' | 'repository' | 'session' | 'merge';

const base = '/v3/organizations/{orgId}';
const one = { first: 1 } as const;

/** Reads if each step is done. A step that the person may not read is left out. */
export function stepsQuery(org: string, scopes: readonly string[]) {
  const may = (scope: string) => scopes.includes(scope);
  return queryOptions({
    queryKey: keys.list(org, 'welcome', { scopes }),
    refetchInterval: 5_000,
    queryFn: async ({ signal }): Promise<Partial<Record<StepId, boolean>>> => {
      const client = apiOf(org);
      const query = { params: { query: one }, signal };
      const merged = { params: { query: { ...one, state: 'merged' } }, signal };
      const [methods, models, repositories, sessions, changes] = await Promise.all([
        unwrap(api.GET('/v3/auth/methods', { signal })),
        may('run') ? unwrap(client.GET(`${base}/models`, { signal })) : undefined,
        may('repos:read') ? unwrap(client.GET(`${base}/repositories`, query)) : undefined,
        may('sessions:read') ? unwrap(client.GET(`${base}/sessions`, query)) : undefined,
        may('repos:read') ? unwrap(client.GET(`${base}/change-requests`, merged)) : undefined,
      ]);
      return {
        password: !methods.first_run,
        ...(models === undefined ? {} : { model: models.items.some(({ allowed_for_caller: allowed }) => allowed) }),
        ...(repositories === undefined ? {} : { repository: repositories.items.length > 0 }),
        ...(sessions === undefined ? {} : { session: sessions.items.length > 0 }),
        ...(changes === undefined ? {} : { merge: changes.items.length > 0 }),
      };
    },
  });
}
