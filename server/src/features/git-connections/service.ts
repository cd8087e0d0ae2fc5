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
import { withHookUrl } from './hook-service.ts';
import type { UpdateGitConnection } from './schemas.ts';
import {
  connectionIsUsed,
  connectionsQuery,
  deleteConnectionRow,
  insertConnection,
  listConnectionRows,
  lockConnection,
  readConnection,
  readConnectionsTo,
  updateConnectionRow,
} from './store.ts';
import { builtInProvider, type Provider } from '../../lib/providers.ts';

type ConnectionContext = Pick<Context, 'db' | 'clock' | 'baseUrl'>;

export async function listConnections(ctx: ConnectionContext, caller: Actor, query: PageQuery) {
  const rows = connectionsQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'git_connections',
    filters: { orgId: caller.organization.id },
    query,
    rows: async (after, limit) => (await listConnectionRows(rows, after, limit)).map((row) => withHookUrl(ctx, row)),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getConnection(ctx: ConnectionContext, caller: Actor, id: string) {
  const row = await readConnection(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('git_connection', id);
  return withHookUrl(ctx, row);
}

/** Changes what is shown of a connection. */
export async function changeConnection(
  ctx: ConnectionContext,
  caller: Caller,
  id: string,
  input: Pick<UpdateGitConnection, 'name'>,
) {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockConnection(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('git_connection', id);
    await requireMatch(caller, () => withHookUrl(ctx, before));
    if (changesNothing(before, input)) return withHookUrl(ctx, before);
    const row = await updateConnectionRow(trx, caller.organization.id, id, { ...input, updated_at: ctx.clock.now() });
    if (row === undefined) throw notFound('git_connection', id);
    audit({ action: 'git_connection.update', resource: { type: 'git_connection', id }, changes: { ...input } });
    return withHookUrl(ctx, row);
  });
}

/**
 * Returns the connection to a provider, by default the only one. Throws 400 if there is none, or several to choose
 * from.
 */
export async function connectionTo(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  provider: Provider,
  id: string | undefined,
) {
  const all = await readConnectionsTo(ctx.db.kysely, orgId, provider);
  if (id !== undefined) {
    const chosen = all.find((one) => one.id === id);
    if (chosen === undefined) throw fieldError('/connection_id', `: no connection to ${provider} has this id.`);
    return chosen;
  }
  const [only, second] = all;
  if (only === undefined) throw fieldError('/provider', `: the organization has no git connection to ${provider}.`);
  if (second !== undefined)
    throw fieldError('/connection_id', `is required: the organization has ${all.length} connections to ${provider}.`);
  return only;
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
 * Throws 409 `connection_in_use` while repositories use it, unless forced: then they stay, and can be given another connection.
 * Throws 409 `conflict` for the built-in host.
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
    await requireMatch(caller, () => withHookUrl(ctx, row));
    if (row.provider === builtInProvider)
      throw new AppError('conflict', 'Every organization keeps its built-in git host.');
    if (!force && (await connectionIsUsed(trx, orgId, id)))
      throw new AppError(
        'connection_in_use',
        'Repositories use this connection. Delete them or give them another one first, or send force=true.',
      );
    if (!(await deleteConnectionRow(trx, orgId, id))) throw notFound('git_connection', id);
    audit({ action: 'git_connection.delete', resource: { type: 'git_connection', id } });
    return null;
  });
}
