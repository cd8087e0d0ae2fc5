import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Actor, AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { addDays, dayOf, nextStart, startOf, type DayRange } from '../../lib/days.ts';
import { notFound } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { watchKey } from '../auth/watch.ts';
import { watchAddress } from '../ip-access-list/watch.ts';
import { csvLine } from './csv.ts';
import type { GroupBy } from './schemas.ts';
import { namesOf } from './service.ts';
import { firstCycleStart, listUse, readMonths } from './store.ts';
import { useOf } from './use.ts';

type CycleContext = Pick<Context, 'db' | 'clock'>;

const exportBatch = 1_000;

/** Lists the billing cycles from the current one back to the first one: the months in UTC. */
export async function listCycles(ctx: CycleContext, caller: Actor, query: PageQuery) {
  const orgId = caller.organization.id;
  const starts = await startsOf(ctx, orgId);
  const today = dayOf(ctx.clock.now());
  const page = await paginate({
    list: 'billing_cycles',
    filters: { orgId },
    query,
    rows: async (after, limit) =>
      starts
        .map((start) => ({ id: idOf(orgId, start), start }))
        .filter(({ id }) => after === undefined || id < after)
        .slice(0, limit),
    total: async () => starts.length,
  });
  const first = page.items.at(-1)?.start ?? today;
  const months = await readMonths(ctx.db.kysely, orgId, { from: first, to: page.items[0]?.start ?? today });
  const byMonth = new Map(months.map((row) => [row.month, row]));
  return {
    ...page,
    items: page.items.map(({ id, start }) => {
      const end = endOf(start);
      const state: 'open' | 'closed' = end < today ? 'closed' : 'open';
      return { id, start, end, state, ...useOf(byMonth.get(start)) };
    }),
  };
}

/** Returns the starts of all cycles, newest first. */
async function startsOf(ctx: CycleContext, orgId: string): Promise<string[]> {
  const current = startOf('month', dayOf(ctx.clock.now()));
  const starts: string[] = [];
  for (let start = await firstCycleStart(ctx.db.kysely, orgId); start <= current; start = nextStart('month', start))
    starts.unshift(start);
  return starts;
}

/** The month, so that ids sort by time, and then the organization, so that no other one has the id. */
function idOf(orgId: string, start: string): string {
  const of = createHash('sha256').update(orgId).digest('hex').slice(0, 20);
  return `cyc_${start.slice(0, 4)}${start.slice(5, 7)}${of}`;
}

function endOf(start: string): string {
  return addDays(nextStart('month', start), -1);
}

/** Returns the days of a cycle of the organization; 404 `billing_cycle_not_found`. */
async function requireCycle(ctx: CycleContext, orgId: string, id: string): Promise<DayRange> {
  const from = (await startsOf(ctx, orgId)).find((start) => idOf(orgId, start) === id);
  if (from === undefined) throw notFound('billing_cycle', id);
  return { from, to: endOf(from) };
}

const columns = [
  'date',
  'group_by',
  'id',
  'name',
  'calls',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'cost_usd',
  'sandbox_minutes',
];

/**
 * Yields a cycle as CSV, a line for each day with use, or for each day and group. Reads a batch at a time as the client
 * consumes it; ends early if the caller's key is revoked or its address is no longer allowed.
 */
export async function exportCycle(
  ctx: CycleContext & Pick<Context, 'notifications' | 'closing' | 'log'>,
  caller: AuthenticatedCaller,
  id: string,
  groupBy: GroupBy | undefined,
): Promise<Readable> {
  const { organization } = caller;
  const range = await requireCycle(ctx, organization.id, id);
  const dimension = groupBy ?? 'organization';
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('The caller may no longer read this.'));
  const unwatch = [watchKey(ctx, caller, end), watchAddress(ctx, caller, end)];
  async function* lines(): AsyncGenerator<string> {
    yield csvLine(columns);
    let after = { day: addDays(range.from, -1), value: '' };
    for (;;) {
      stop.signal.throwIfAborted();
      ctx.closing.throwIfAborted();
      const rows = await listUse(ctx.db.kysely, organization.id, dimension, { range, after, limit: exportBatch });
      const names = await namesOf(ctx, organization.id, dimension, [...new Set(rows.map(({ value }) => value))]);
      const text = rows.map((row) => {
        const { calls, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd } = row;
        const counts = [calls, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens];
        const isAll = dimension === 'organization';
        const of = isAll ? [organization.id, organization.name] : [row.value, names.get(row.value) ?? ''];
        return csvLine([row.day, dimension, ...of, ...counts, cost_usd, useOf(row).sandbox_minutes]);
      });
      if (text.length > 0) yield text.join('');
      const last = rows.at(-1);
      if (last === undefined || rows.length < exportBatch) return;
      after = { day: last.day, value: last.value };
    }
  }
  const stream = Readable.from(lines(), { objectMode: false });
  stream.once('close', () => {
    for (const { leave } of unwatch) leave();
  });
  return stream;
}
