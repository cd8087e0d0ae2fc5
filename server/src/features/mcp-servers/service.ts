import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { writerOf, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate } from '../../lib/paging.ts';
import { writerAfter, type Writer } from '../../lib/writer.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { repositoryByPrefixedName } from '../repositories/service.ts';
import { seal } from '../secrets/envelope.ts';
import { refuseConnection, refuseParts } from './rules.ts';
import { refuseCredentials } from './scan.ts';
import { maxSecretBytes, type Access, type CreateMcpServer } from './schemas.ts';
import type { McpServerQuery, UpdateMcpServer } from './schemas.ts';
import { secretPurpose, targetOf } from './public.ts';
import {
  deleteServerRow,
  deleteServerSecret,
  insertServer,
  listServerRows,
  listSlugs,
  lockServer,
  lockServers,
  readServer,
  replaceServerRepositories,
  serversQuery,
  updateServerRow,
  upsertServerSecret,
} from './store.ts';
import { freeSlug } from './slug.ts';
import { fieldError } from '../../lib/field-error.ts';

type ServerRow = NonNullable<Awaited<ReturnType<typeof lockServer>>>;
export type McpServerContext = Pick<Context, 'db' | 'clock' | 'keyRing'>;

/** Maximum number of MCP servers of an organization, and of secrets of a server. */
const maxServers = 200;
const maxSecrets = 50;

export async function listMcpServers(ctx: McpServerContext, caller: Actor, query: McpServerQuery) {
  const orgId = caller.organization.id;
  const filter = {
    enabled: filterValues('enabled', query.enabled, ['true', 'false']).map((value) => value === 'true'),
    ...(query.search === undefined ? {} : { search: query.search }),
  };
  const rows = serversQuery(ctx.db.kysely, orgId, filter);
  return paginate({
    list: 'mcp_servers',
    filters: { ...filter, orgId },
    query,
    rows: (after, limit) => listServerRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `mcp_server_not_found`. */
export async function getMcpServer(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  return requireServer(ctx.db.kysely, caller, id);
}

/** Throws 404 `repository_not_found`, 409 `slug_taken`, 409 `conflict` if there are 200 already. */
export async function createMcpServer(ctx: McpServerContext, caller: Caller, input: CreateMcpServer) {
  const orgId = caller.organization.id;
  const { name, url = '', command = '', args = [], env = {}, headers = {} } = input;
  const { icon = '', description = '', access = 'organization', repos = [], enabled = true } = input;
  const connection = { url, command, args, env, headers };
  refuseConnection(connection);
  await refuseCredentials(connection);
  const repositoryIds = await repositoriesOf(ctx, orgId, access, repos);
  const now = ctx.clock.now();
  const id = newId('mcp', now.getTime());
  return mutate(ctx, caller, async (trx, audit) => {
    await lockServers(trx, orgId);
    const slugs = await listSlugs(trx, orgId);
    if (slugs.size >= maxServers)
      throw new AppError(
        'conflict',
        `Limit reached: an organization can have at most ${maxServers} MCP servers. Delete one first.`,
      );
    if (input.slug !== undefined && slugs.has(input.slug)) throw slugTaken(input.slug);
    const slug = input.slug ?? freeSlug(name, slugs);
    await insertServer(trx, {
      id,
      org_id: orgId,
      slug,
      name,
      icon,
      description,
      source: 'custom',
      ...columns(connection),
      access,
      enabled,
      written_by: writerOf(caller),
      created_at: now,
      updated_at: now,
    });
    await replaceServerRepositories(trx, orgId, id, repositoryIds);
    audit({
      action: 'mcp_server.create',
      resource: { type: 'mcp_server', id },
      changes: { slug, ...auditedChanges({ name, access, repos, enabled, ...connection }) },
    });
    return requireServer(trx, caller, id);
  });
}

/** Throws 404 `mcp_server_not_found`, `repository_not_found`, 409 `slug_taken`. */
export async function updateMcpServer(ctx: McpServerContext, caller: Caller, id: string, input: UpdateMcpServer) {
  const orgId = caller.organization.id;
  const { repos, ...change } = input;
  const sent = { url: '', command: '', args: [], env: {}, headers: {}, ...change };
  refuseParts(sent);
  await refuseCredentials(sent);
  if (input.access !== undefined) refuseRepos(input.access, repos);
  const seen = await requireServer(ctx.db.kysely, caller, id);
  const access = input.access ?? seen.access;
  refuseConnection({ ...seen, ...change });
  const repositoryIds = repos === undefined ? undefined : await repositoriesOf(ctx, orgId, access, repos);
  return mutate(ctx, caller, async (trx, audit) => {
    if (input.slug !== undefined) await lockServers(trx, orgId);
    const before = await lockServer(trx, orgId, id);
    if (before === undefined) throw notFound('mcp_server', id);
    await requireMatch(caller, () => requireServer(trx, caller, id));
    const after = { ...before, ...change };
    // A concurrent request may have changed the other half.
    refuseConnection(after);
    if (input.slug !== undefined && input.slug !== before.slug && (await listSlugs(trx, orgId)).has(input.slug))
      throw slugTaken(input.slug);
    const now = before.repositories.map((repository) => repository.id);
    const repositoriesStay = repositoryIds === undefined || isDeepStrictEqual(now.toSorted(), repositoryIds.toSorted());
    // A server whose repositories are all deleted keeps its access and can be changed otherwise.
    if (after.access === 'repositories' && before.access !== after.access) requireRepos(repositoryIds ?? now);
    const written_by = connectionWriter(before, after, caller, change);
    if (repositoriesStay && changesNothing(before, { ...change, written_by })) return requireServer(trx, caller, id);
    const { slug, name, icon, description, enabled } = after;
    const values = { slug, name, icon, description, enabled, access: after.access, written_by, ...columns(after) };
    await updateServerRow(trx, orgId, id, { ...values, updated_at: ctx.clock.now() });
    if (after.access !== 'repositories') await replaceServerRepositories(trx, orgId, id, []);
    // Links to a deleted repository return when it is restored, unless the repositories are set again.
    else if (repositoryIds !== undefined && !repositoriesStay)
      await replaceServerRepositories(trx, orgId, id, repositoryIds);
    audit({
      action: 'mcp_server.update',
      resource: { type: 'mcp_server', id },
      changes: auditedChanges(input),
    });
    return requireServer(trx, caller, id);
  });
}

export async function deleteMcpServer(ctx: McpServerContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    await lockServer(trx, caller.organization.id, id);
    const server = await requireServer(trx, caller, id);
    await requireMatch(caller, () => server);
    const { slug } = server;
    if (!(await deleteServerRow(trx, caller.organization.id, id))) throw notFound('mcp_server', id);
    audit({ action: 'mcp_server.delete', resource: { type: 'mcp_server', id }, changes: { slug } });
    return null;
  });
}

/** Throws 404 `mcp_server_not_found`, 409 `conflict` if the server has 50 already. */
export async function setMcpServerSecret(
  ctx: McpServerContext,
  caller: Caller,
  target: { readonly id: string; readonly name: string },
  value: string,
) {
  const { id, name } = target;
  const orgId = caller.organization.id;
  if (Buffer.byteLength(value) > maxSecretBytes)
    throw fieldError('/value', `is longer than ${maxSecretBytes} bytes in UTF-8.`);
  const { slug } = await requireServer(ctx.db.kysely, caller, id);
  // Outside of the transaction, because a KMS may be slow.
  const sealed = await seal(ctx, orgId, secretPurpose(id, name), Buffer.from(value));
  return mutate(ctx, caller, async (trx, audit) => {
    const server = await lockServer(trx, orgId, id);
    if (server === undefined) throw notFound('mcp_server', id);
    await requireMatch(caller, () => requireServer(trx, caller, id));
    if (!server.secret_names.includes(name) && server.secret_names.length >= maxSecrets)
      throw new AppError(
        'conflict',
        `Limit reached: an MCP server can have at most ${maxSecrets} secrets. Delete one first.`,
      );
    const now = ctx.clock.now();
    await upsertServerSecret(trx, {
      org_id: orgId,
      server_id: id,
      name,
      sealed,
      target: JSON.stringify(targetOf(server)),
      written_by: writerOf(caller),
      updated_at: now,
    });
    await updateServerRow(trx, orgId, id, { updated_at: now });
    audit({ action: 'mcp_server.set_secret', resource: { type: 'mcp_server', id }, changes: { slug, name } });
    return requireServer(trx, caller, id);
  });
}

/** Throws 404 `mcp_server_not_found`, or `secret_not_found` for a name without a value; 412 for another state of the server. */
export async function deleteMcpServerSecret(
  ctx: McpServerContext,
  caller: Caller,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const server = await lockServer(trx, orgId, id);
    if (server === undefined) throw notFound('mcp_server', id);
    await requireMatch(caller, () => requireServer(trx, caller, id));
    if (!(await deleteServerSecret(trx, orgId, id, name))) throw notFound('secret', name);
    await updateServerRow(trx, orgId, id, { updated_at: ctx.clock.now() });
    audit({
      action: 'mcp_server.delete_secret',
      resource: { type: 'mcp_server', id },
      changes: { slug: server.slug, name },
    });
    return null;
  });
}

async function requireServer(db: McpServerContext['db']['kysely'] | Transaction<DB>, caller: Actor, id: string) {
  const row = await readServer(db, caller.organization.id, id);
  if (row === undefined) throw notFound('mcp_server', id);
  const { repositories, written_by: _, ...server } = row;
  return { ...server, repos: repositories.map(({ provider, repo }) => `${provider}:${repo}`) };
}

const connectionFields = ['url', 'command', 'args', 'env', 'headers'] as const;

/** Returns the author of a server's connection after this change. */
function connectionWriter(before: ServerRow, after: ServerRow, caller: Actor, change: UpdateMcpServer): Writer {
  const named = connectionFields.filter((field) => change[field] !== undefined);
  const whole = named.length > 0 && connectionFields.every((field) => named.includes(field) || isEmpty(after[field]));
  const changes = named.some((field) => !isDeepStrictEqual(after[field], before[field]));
  return writerAfter(before.written_by, writerOf(caller), { changes, whole });
}

function isEmpty(value: ServerRow[(typeof connectionFields)[number]]): boolean {
  return typeof value === 'string' ? value === '' : Object.keys(value).length === 0;
}

function columns({ url, command, args, env, headers }: Parameters<typeof refuseConnection>[0]) {
  return { url, command, args: [...args], env: JSON.stringify(env), headers: JSON.stringify(headers) };
}

/** Returns the audited changes: names of variables and headers, the number of arguments, a URL without parameters. */
function auditedChanges({ url, args, env, headers, ...rest }: UpdateMcpServer): Record<string, unknown> {
  return {
    ...rest,
    ...(url === undefined ? {} : { url: url.split('?', 1)[0] }),
    ...(args === undefined ? {} : { args: args.length }),
    ...(env === undefined ? {} : { env: Object.keys(env) }),
    ...(headers === undefined ? {} : { headers: Object.keys(headers) }),
  };
}

async function repositoriesOf(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  access: Access,
  repos: readonly string[],
): Promise<string[]> {
  refuseRepos(access, repos);
  if (access === 'repositories') requireRepos(repos);
  const ids: string[] = [];
  for (const [at, repo] of repos.entries()) {
    const { id } = await repositoryByPrefixedName(ctx, orgId, repo, `/repos/${at}`);
    if (!ids.includes(id)) ids.push(id);
  }
  return ids;
}

function refuseRepos(access: Access, repos: readonly string[] = []): void {
  if (repos.length > 0 && access !== 'repositories')
    throw fieldError('/repos', `must be omitted for the access "${access}".`);
}

function requireRepos(repos: readonly string[]): void {
  if (repos.length === 0)
    throw fieldError('/repos', 'is required for the access "repositories". Name at least one repository.');
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', `The slug ${JSON.stringify(slug)} is taken. Choose another.`);
}
