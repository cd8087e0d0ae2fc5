import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import type { CreateGitConnection, UpdateGitConnection } from './schemas.ts';
import {
  connectionIsUsed,
  connectionsQuery,
  deleteConnectionRow,
  insertConnection,
  listConnectionRows,
  lockConnection,
  readConnection,
  readConnectionTo,
  updateConnectionRow,
} from './store.ts';
import { builtInProvider, type Provider } from '../../lib/providers.ts';

type ConnectionContext = Pick<Context, 'db' | 'clock'>;

export async function listConnections(ctx: ConnectionContext, caller: Actor, query: PageQuery) {
  const rows = connectionsQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'git_connections',
    filters: { orgId: caller.organization.id },
    query,
    rows: (after, limit) => listConnectionRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getConnection(ctx: ConnectionContext, caller: Actor, id: string) {
  const row = await readConnection(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('git_connection', id);
  return row;
}

/**
 * Rejects every connection: each organization has one to the built-in host from the start, and this version supports no
 * other.
 */
export async function createConnection(
  _ctx: ConnectionContext,
  _caller: Actor,
  input: CreateGitConnection,
): Promise<never> {
  if (input.provider === builtInProvider)
    throw new AppError('conflict', 'The organization is already connected to the built-in git host.');
  throw fieldError(
    '/provider',
    `: this version cannot connect to ${input.provider}. Copy a repository from there to the built-in git host with import_url of POST /repositories.`,
  );
}

export async function updateConnection(ctx: ConnectionContext, caller: Caller, id: string, input: UpdateGitConnection) {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockConnection(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('git_connection', id);
    await requireMatch(caller, () => before);
    if (changesNothing(before, input)) return before;
    const row = await updateConnectionRow(trx, caller.organization.id, id, { ...input, updated_at: ctx.clock.now() });
    if (row === undefined) throw notFound('git_connection', id);
    audit({ action: 'git_connection.update', resource: { type: 'git_connection', id }, changes: { ...input } });
    return row;
  });
}

/** Asks the provider if the connection works. */
export async function verifyConnection(
  ctx: ConnectionContext & Pick<Context, 'sourceControl'>,
  caller: Caller,
  id: string,
) {
  const { provider } = await getConnection(ctx, caller, id);
  await ctx.sourceControl.of(provider).verify({ orgId: caller.organization.id, connectionId: id });
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const row = await updateConnectionRow(trx, caller.organization.id, id, { last_verified_at: now, updated_at: now });
    if (row === undefined) throw notFound('git_connection', id);
    audit({ action: 'git_connection.verify', resource: { type: 'git_connection', id } });
    return row;
  });
}

/** Returns the connection to a provider. Throws 400 if there is none. */
export async function connectionTo(trx: Transaction<DB>, orgId: string, provider: Provider) {
  const row = await readConnectionTo(trx, orgId, provider);
  if (row === undefined) throw fieldError('/provider', `: the organization has no git connection to ${provider}.`);
  return row;
}

/** Creates the connection to the built-in git host that every organization has. */
export async function createLocalConnection(trx: Transaction<DB>, orgId: string, now: Date): Promise<void> {
  await insertConnection(trx, {
    id: newId('gc', now.getTime()),
    org_id: orgId,
    provider: builtInProvider,
    kind: 'directory',
    name: 'Built-in git host',
    last_verified_at: now,
    created_at: now,
    updated_at: now,
  });
}

/**
 * Throws 409 `connection_in_use` while repositories use it, unless forced, and 409 `conflict` for the built-in host.
 */
export async function deleteConnection(
  ctx: ConnectionContext,
  caller: Caller,
  id: string,
  force: boolean,
): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await lockConnection(trx, orgId, id);
    if (row === undefined) throw notFound('git_connection', id);
    await requireMatch(caller, () => row);
    if (!force && (await connectionIsUsed(trx, orgId, id)))
      throw new AppError(
        'connection_in_use',
        'Repositories use this connection. Disconnect them first, or send force=true.',
      );
    if (row.provider === builtInProvider)
      throw new AppError('conflict', 'Every organization keeps its built-in git host.');
    if (!(await deleteConnectionRow(trx, orgId, id))) throw notFound('git_connection', id);
    audit({ action: 'git_connection.delete', resource: { type: 'git_connection', id } });
    return null;
  });
}
