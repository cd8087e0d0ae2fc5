import { writerOf, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { changesNothing } from '../../lib/changes.ts';
import { notFound } from '../../lib/errors.ts';
import { requireBranchName } from '../../git/names.ts';
import { fieldError } from '../../lib/field-error.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mayRunFor, writerAfter, type Writer } from '../../lib/writer.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { orderUpdate } from './code-index/queue-service.ts';
import { restorableSince } from './restorable.ts';
import type { UpdateRepository } from './schemas.ts';
import {
  findRepositories,
  listRepositoryRows,
  lockRepository,
  readRepository,
  repositoriesQuery,
  updateRepositoryRow,
} from './store.ts';
import { builtInProvider, parseRepositoryName, type NamedRepository } from '../../lib/providers.ts';
import { refuseHostBranch, requireAtHost } from './at-host.ts';

type RepositoryContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'sourceControl' | 'baseUrl' | 'jobs'>;
export type RepositoryRow = NonNullable<Awaited<ReturnType<typeof readRepository>>>;

const commands = ['setup_command', 'verify_command'] as const;

/** Lists the existing repositories, or with `deleted` the restorable ones. */
export async function listRepositories(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl'>,
  caller: Actor,
  query: PageQuery & { search?: string; deleted?: boolean },
  connectionId?: string,
) {
  const filter = {
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(query.search === undefined ? {} : { search: query.search }),
  };
  const deleted = query.deleted === true;
  const rows = repositoriesQuery(ctx.db.kysely, caller.organization.id, {
    ...filter,
    ...(deleted ? { deletedAfter: restorableSince(ctx) } : {}),
  });
  const page = await paginate({
    list: 'repositories',
    filters: { ...filter, deleted, orgId: caller.organization.id },
    query,
    rows: (after, limit) => listRepositoryRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map((row) => toApiShape(ctx, caller, row)) };
}

export async function getRepository(ctx: Pick<Context, 'db' | 'baseUrl'>, caller: Actor, id: string) {
  return toApiShape(ctx, caller, await requireRepository(ctx, caller.organization.id, id));
}

export async function updateRepository(ctx: RepositoryContext, caller: Caller, id: string, input: UpdateRepository) {
  const orgId = caller.organization.id;
  const { default_branch: branch, connection_id, environment } = input;
  const repository = await requireRepository(ctx, orgId, id);
  const isBuiltIn = repository.provider === builtInProvider;
  const moved = connection_id === undefined ? {} : { connection_id };
  if (connection_id !== undefined) await requireAtHost(ctx, orgId, repository, connection_id);
  if (branch !== undefined && isBuiltIn) await refuseBranch(ctx, orgId, id, branch);
  if (branch !== undefined && !isBuiltIn) await refuseHostBranch(ctx, orgId, { ...repository, ...moved }, branch);
  const updated = await mutate(ctx, caller, async (trx, audit) => {
    const change = { ...(branch === undefined ? {} : { default_branch: branch }), ...moved, ...environment };
    await lockRepository(trx, orgId, id);
    const before = await readRepository(trx, orgId, id);
    if (before === undefined) throw notFound('repository', id);
    await requireMatch(caller, () => toApiShape(ctx, caller, before));
    const values = { ...change, environment_written_by: commandsWriter(before, caller, environment ?? {}) };
    if (changesNothing(before, values)) return toApiShape(ctx, caller, before);
    const row = await updateRepositoryRow(trx, orgId, id, { ...values, updated_at: ctx.clock.now() });
    if (row === undefined) throw notFound('repository', id);
    if (row.default_branch !== before.default_branch) await orderUpdate(ctx, trx, { orgId, id });
    audit({ action: 'repository.update', resource: { type: 'repository', id }, changes: change });
    return toApiShape(ctx, caller, row);
  });
  if (branch !== undefined && isBuiltIn) await alignHead(ctx, orgId, id);
  return updated;
}

/** Returns the author of a repository's commands after this change of them. */
function commandsWriter(
  before: RepositoryRow,
  caller: Actor,
  environment: NonNullable<UpdateRepository['environment']>,
): Writer {
  const named = commands.filter((name) => environment[name] !== undefined);
  const changes = named.some((name) => environment[name] !== before[name]);
  const whole = named.length > 0 && commands.every((name) => named.includes(name) || before[name] === '');
  return writerAfter(before.environment_written_by, writerOf(caller), { changes, whole });
}

/**
 * Names the command of a repository that someone other than `owner` (`<type>:<id>`) or an administrator wrote; `''` for
 * none.
 */
export function commandOfOthers(
  row: Pick<RepositoryRow, 'repo' | 'setup_command' | 'verify_command' | 'environment_written_by'>,
  owner: string,
): string {
  const there = commands.find((name) => row[name] !== '');
  return there === undefined || mayRunFor(row.environment_written_by, owner) ? '' : `the ${there} of ${row.repo}`;
}

/** Refuses a default branch that does not exist. An empty repository accepts any name. */
async function refuseBranch(ctx: Pick<Context, 'gitHost'>, orgId: string, id: string, branch: string): Promise<void> {
  requireBranchName(branch, '/default_branch');
  const branches = await ctx.gitHost.open(orgId, id).branches();
  if (branches.length > 0 && !branches.some(({ name }) => name === branch))
    throw fieldError('/default_branch', `: the repository has no branch ${JSON.stringify(branch)}.`);
}

/**
 * Points git's HEAD to the default branch after a change of it was committed: git is not part of the transaction. Reads the
 * branch again afterwards, so that of concurrent changes the last one to move HEAD leaves the committed branch.
 */
async function alignHead(ctx: Pick<Context, 'db' | 'gitHost'>, orgId: string, id: string): Promise<void> {
  const hosted = ctx.gitHost.open(orgId, id);
  for (let head = ''; ;) {
    const row = await readRepository(ctx.db.kysely, orgId, id);
    if (row === undefined || row.default_branch === head) return;
    head = row.default_branch;
    await hosted.setDefaultBranch(head);
  }
}

/** Returns a repository's row. Throws 404 `repository_not_found`. */
export async function requireRepository(ctx: Pick<Context, 'db'>, orgId: string, id: string): Promise<RepositoryRow> {
  const row = await readRepository(ctx.db.kysely, orgId, id);
  if (row === undefined) throw notFound('repository', id);
  return row;
}

/** Returns a repository's row; undefined if the organization has none with this id. */
export async function repositoryById(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  id: string,
): Promise<RepositoryRow | undefined> {
  return readRepository(ctx.db.kysely, orgId, id);
}

/** Returns the repositories with these names, at every provider if a name has no prefix. */
export async function repositoriesNamed(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  names: readonly NamedRepository[],
): Promise<RepositoryRow[]> {
  const found = await Promise.all(names.map(({ repo }) => findRepositories(ctx.db.kysely, orgId, repo)));
  const meant = found.flatMap((rows, at) => {
    const provider = names[at]?.provider;
    return rows.filter((row) => provider === undefined || row.provider === provider);
  });
  return [...new Map(meant.map((row) => [row.id, row])).values()];
}

/**
 * Returns the repository with a name. Throws 404 `repository_not_found`, or 400 if several providers have one and none is given;
 * `providerAt` is the place of the provider in the request.
 */
export async function repositoryByName(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  { repo, provider }: NamedRepository,
  providerAt = '/provider',
): Promise<RepositoryRow> {
  const [found, other] = await findRepositories(ctx.db.kysely, orgId, repo, provider);
  if (found === undefined) throw notFound('repository', repo);
  if (other !== undefined) throw fieldError(providerAt, `is required: several providers have a repository ${repo}.`);
  return found;
}

/** Like {@link repositoryByName}, for a name at `path` of the request that can have the provider in front. */
export async function repositoryByPrefixedName(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  name: string,
  path: string,
): Promise<RepositoryRow> {
  const { repo, provider } = parseRepositoryName(name);
  const [found, other] = await findRepositories(ctx.db.kysely, orgId, repo, provider);
  if (found === undefined) throw notFound('repository', repo);
  if (other === undefined) return found;
  const choices = [found, other].map((row) => `${row.provider}:${row.repo}`).join(' or ');
  throw fieldError(path, `must name the provider, because several have a repository ${repo}: ${choices}.`);
}

/**
 * Makes a pushed branch the default one, if the current default branch does not exist: the first push. Returns the default
 * branch.
 */
export async function adoptDefaultBranch(
  ctx: Pick<Context, 'db' | 'clock' | 'gitHost'>,
  orgId: string,
  id: string,
  updates: { ref: string }[],
): Promise<string> {
  const first = updates.find(({ ref }) => ref.startsWith('refs/heads/'));
  const row = await requireRepository(ctx, orgId, id);
  const hosted = ctx.gitHost.open(orgId, id);
  if (first === undefined || (await hosted.resolve(row.default_branch)) !== undefined) return row.default_branch;
  const branch = first.ref.slice('refs/heads/'.length);
  const adopted = await ctx.db.transaction(async (trx) => {
    await lockRepository(trx, orgId, id);
    const before = await readRepository(trx, orgId, id);
    // Another first push, or a PATCH, may have been faster.
    if (before?.default_branch !== row.default_branch) return before?.default_branch ?? branch;
    await updateRepositoryRow(trx, orgId, id, { default_branch: branch, updated_at: ctx.clock.now() });
    return branch;
  });
  await alignHead(ctx, orgId, id);
  return adopted;
}

/**
 * Returns a row in its API shape. A deleted repository has no clone URL, because its name may belong to another one.
 */
export function toApiShape(ctx: Pick<Context, 'baseUrl'>, caller: Actor, row: RepositoryRow) {
  return {
    id: row.id,
    provider: row.provider,
    repo: row.repo,
    default_branch: row.default_branch,
    connection_id: row.connection_id,
    index: { state: row.index_state, commit: row.index_commit, indexed_at: row.indexed_at, error: row.index_error },
    wiki: { state: row.wiki_state, generated_at: row.wiki_generated_at },
    environment: { setup_command: row.setup_command, verify_command: row.verify_command, image: row.image },
    clone_url: row.deleted_at === null ? cloneUrl(ctx, caller, row) : '',
    last_session_at: row.last_session_at,
    deleted_at: row.deleted_at,
  };
}

function cloneUrl(ctx: Pick<Context, 'baseUrl'>, caller: Actor, row: RepositoryRow): string {
  if (row.provider === builtInProvider) return `${ctx.baseUrl()}/git/${caller.organization.slug}/${row.repo}.git`;
  return row.host_url === '' ? '' : `${row.host_url}/${row.repo}.git`;
}
