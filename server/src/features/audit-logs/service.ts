import { Readable } from 'node:stream';
import type { Actor, AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { notFound } from '../../lib/errors.ts';
import { filterValues, textValues } from '../../lib/filters.ts';
import { instantOf } from '../../lib/instant.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { watchAddress } from '../ip-access-list/watch.ts';
import { watchKey } from '../auth/watch.ts';
import { lineOfEntry } from './canonical.ts';
import { linkAll } from './chain.ts';
import { readLinkedEntries } from './chain-store.ts';
import { outcomes } from './schemas.ts';
import { listTrailRows, readTrailRow, trailQuery, type AuditFilters, type TrailRow } from './store.ts';

/** The filters of a request. */
export interface AuditFilterQuery {
  action?: string | undefined;
  actor_id?: string | undefined;
  resource_type?: string | undefined;
  resource_id?: string | undefined;
  outcome?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** Returns a page of the audit log: entries, and refusals of minutes that are not over, which still grow. */
export async function listAuditEntries(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  query: PageQuery & AuditFilterQuery & { order?: 'asc' | 'desc' },
) {
  const orgId = caller.organization.id;
  const { first: _first, after: _after, order = 'desc', ...asked } = query;
  const rows = trailQuery(ctx.db.kysely, orgId, filtersOf(asked));
  const page = await paginate({
    list: 'audit_logs',
    filters: { orgId, order, ...asked },
    query,
    rows: (after, limit) => listTrailRows(rows, { after, limit, order }, ctx.db.kysely),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(entryOf) };
}

/** Throws 404 `audit_entry_not_found`. */
export async function getAuditEntry(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  const row = await readTrailRow(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('audit_entry', id);
  return entryOf(row);
}

const exportBatch = 200;

/**
 * Yields the linked entries as lines of JSON, in the order of the chain: everything that was committed before the call
 * and matches the filters. Reads a batch at a time as the client consumes it; ends early if the caller's key is revoked
 * or its address is no longer allowed.
 */
export async function exportAuditEntries(
  ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>,
  caller: AuthenticatedCaller,
  query: AuditFilterQuery,
): Promise<Readable> {
  const filters = filtersOf(query);
  await linkAll(ctx);
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('The caller may no longer read this.'));
  const unwatch = [watchKey(ctx, caller, end), watchAddress(ctx, caller, end)];
  async function* lines(): AsyncGenerator<string> {
    let seq = 0;
    for (;;) {
      stop.signal.throwIfAborted();
      ctx.closing.throwIfAborted();
      const rows = await readLinkedEntries(ctx.db.kysely, caller.organization.id, filters, seq, exportBatch);
      if (rows.length > 0) yield `${rows.map((row) => lineOfEntry(row.text, row)).join('\n')}\n`;
      seq = rows.at(-1)?.seq ?? seq;
      if (rows.length < exportBatch) return;
    }
  }
  const stream = Readable.from(lines(), { objectMode: false });
  stream.once('close', () => {
    for (const { leave } of unwatch) leave();
  });
  return stream;
}

function filtersOf(query: AuditFilterQuery): AuditFilters {
  const instant = (name: 'created_after' | 'created_before') => {
    const text = query[name];
    return text === undefined ? undefined : instantOf(`/${name}`, text);
  };
  return {
    actions: textValues('action', query.action),
    actorIds: textValues('actor_id', query.actor_id),
    resourceTypes: textValues('resource_type', query.resource_type),
    resourceIds: textValues('resource_id', query.resource_id),
    outcomes: filterValues('outcome', query.outcome, outcomes),
    createdAfter: instant('created_after'),
    createdBefore: instant('created_before'),
  };
}

function entryOf(row: TrailRow) {
  return {
    id: row.id,
    seq: row.seq,
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, display: row.actor_display },
    resource: { type: row.resource_type, id: row.resource_id },
    outcome: row.outcome,
    ip: row.ip,
    user_agent: row.user_agent,
    request_id: row.request_id,
    changes: row.changes,
    created_at: row.created_at,
    prev_hash: row.prev_hash,
    hash: row.hash,
  };
}
