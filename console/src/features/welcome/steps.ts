import { queryOptions } from '@tanstack/react-query';
import { api, apiOf, unwrap, type Schemas, type Session } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

export type Template = Schemas['RepositoryTemplate'];
type Repository = Schemas['Repository'];
type ChangeRequest = Schemas['ChangeRequest'];

/** How far an installation is on the way to its first merged change. What the person may not read is undefined. */
export interface Progress {
  hasPassword: boolean;
  hasModel: boolean | undefined;
  hasRepository: boolean | undefined;
  /** A project to try a session on, and the repository made of it. */
  template: Template | undefined;
  example: Repository | undefined;
  hasSession: boolean | undefined;
  /** The newest one. */
  session: Session | undefined;
  hasMerged: boolean | undefined;
  /** The newest one that waits to be merged. */
  request: ChangeRequest | undefined;
}

const base = '/v3/organizations/{orgId}';
const one = { first: 1 } as const;
const atWork: ReadonlySet<Session['status']> = new Set(['queued', 'provisioning', 'running']);

/** How far it is; read often while the newest session works. */
export function progressQuery(org: string, scopes: readonly string[]) {
  return queryOptions<Progress>({
    queryKey: keys.list(org, 'welcome', { scopes }),
    refetchInterval: ({ state: { data } }) =>
      data?.session !== undefined && atWork.has(data.session.status) ? 1_500 : 5_000,
    queryFn: async ({ signal }) => {
      const may = (scope: string) => scopes.includes(scope);
      const client = apiOf(org);
      const newest = { params: { query: { ...one, view: 'summary' as const } }, signal };
      const [methods, models, sessions, code] = await Promise.all([
        unwrap(api.GET('/v3/auth/methods', { signal })),
        may('run') ? unwrap(client.GET(`${base}/models`, { signal })) : undefined,
        may('sessions:read') ? unwrap(client.GET(`${base}/sessions`, newest)) : undefined,
        may('repos:read') ? readCode(org, signal) : undefined,
      ]);
      return {
        hasPassword: !methods.first_run,
        hasModel: models?.items.some(({ allowed_for_caller: allowed }) => allowed),
        hasSession: sessions && sessions.items.length > 0,
        session: sessions?.items[0],
        hasRepository: code?.hasRepository,
        template: code?.template,
        example: code?.example,
        hasMerged: code?.hasMerged,
        request: code?.request,
      };
    },
  });
}

async function readCode(org: string, signal: AbortSignal) {
  const client = apiOf(org);
  const requests = (state: 'open' | 'merged') =>
    unwrap(client.GET(`${base}/change-requests`, { params: { query: { ...one, state } }, signal }));
  const [repositories, example, open, merged] = await Promise.all([
    unwrap(client.GET(`${base}/repositories`, { params: { query: one }, signal })),
    readExample(org, signal),
    requests('open'),
    requests('merged'),
  ]);
  return {
    ...example,
    hasRepository: repositories.items.length > 0,
    hasMerged: merged.items.length > 0,
    request: open.items[0],
  };
}

async function readExample(org: string, signal: AbortSignal) {
  const { items } = await unwrap(apiOf(org).GET(`${base}/repositories/templates`, { signal }));
  const template = items.find(({ name }) => name === 'example');
  if (template === undefined) return { template, example: undefined };
  const query = { first: 200, search: template.repo };
  const found = await unwrap(apiOf(org).GET(`${base}/repositories`, { params: { query }, signal }));
  return { template, example: found.items.find(({ repo }) => repo === template.repo) };
}
