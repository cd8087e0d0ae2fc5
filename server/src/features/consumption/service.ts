import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countDays, rangeOf, type DayRange, type Interval } from '../../lib/days.ts';
import { notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import {
  isKnown,
  readNames,
  readTopValues,
  readUseByDay,
  readUseByInterval,
  readUseOfSession,
  type UseKey,
} from './store.ts';
import { seriesOf, useOf, without, type Use } from './use.ts';
import type { GroupBy } from './schemas.ts';

type ConsumptionContext = Pick<Context, 'db' | 'clock'>;

interface RangeQuery {
  from?: string;
  to?: string;
}

const usualTop = 10;
/** The number of days of all groups together in a response. */
const mostGroupDays = 12_000;

/** Returns what the organization used each day, and that of the groups that cost most. */
export async function getDailyConsumption(
  ctx: ConsumptionContext,
  caller: Actor,
  query: RangeQuery & { group_by?: GroupBy; top?: number },
) {
  const orgId = caller.organization.id;
  const range = rangeOf(query, ctx.clock.now());
  const { group_by: dimension, top = usualTop } = query;
  if (dimension !== undefined && top * countDays(range) > mostGroupDays)
    throw fieldError('/top', `times the number of days must be at most ${mostGroupDays}. Request a shorter range.`);
  const { kysely: db } = ctx.db;
  const [all, groups] = await Promise.all([
    readUseByDay(db, orgId, { dimension: 'organization', values: [''] }, range),
    dimension === undefined ? noGroups(range) : readGroups(ctx, orgId, dimension, { range, limit: top }),
  ]);
  return { ...range, group_by: dimension ?? ('' as const), ...seriesOf(range, all), ...groups };
}

function noGroups(range: DayRange) {
  return { groups: [], groups_total: 0, rest: seriesOf(range, []) };
}

async function readGroups(
  ctx: ConsumptionContext,
  orgId: string,
  dimension: GroupBy,
  { range, limit }: { range: DayRange; limit: number },
) {
  const { kysely: db } = ctx.db;
  const { values, total } = await readTopValues(db, orgId, dimension, { range, limit });
  const [rows, names] = await Promise.all([
    readUseByDay(db, orgId, { dimension, values: [...values, ''] }, range),
    namesOf(ctx, orgId, dimension, values),
  ]);
  const byValue = Map.groupBy(rows, ({ value }) => value);
  const groups = values.map((id) => ({ id, name: names.get(id) ?? '', ...seriesOf(range, byValue.get(id) ?? []) }));
  return { groups, groups_total: total, rest: without(seriesOf(range, byValue.get('') ?? []), groups) };
}

/** Returns the names of a dimension's values, as far as they have any besides the value. */
export async function namesOf(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  dimension: string,
  values: readonly string[],
): Promise<Map<string, string>> {
  if (dimension === 'user' || dimension === 'service_user' || dimension === 'automation')
    return readNames(ctx.db.kysely, orgId, dimension, values);
  return new Map(values.map((value) => [value, value]));
}

/** Returns the days of a user, service user or group; 404 if the organization does not know it. */
export async function getConsumptionOf(
  ctx: ConsumptionContext,
  caller: Actor,
  kind: 'user' | 'service_user' | 'group',
  id: string,
  query: RangeQuery,
) {
  const orgId = caller.organization.id;
  const range = rangeOf(query, ctx.clock.now());
  if (!(await isKnown(ctx.db.kysely, orgId, kind, id))) throw notFound(kind, id);
  const rows = await readUseByDay(ctx.db.kysely, orgId, { dimension: kind, values: [id] }, range);
  return { ...range, ...seriesOf(range, rows) };
}

/** Returns the days of a session, also of a deleted one; 404 `session_not_found`. */
export async function getConsumptionOfSession(ctx: ConsumptionContext, caller: Actor, id: string, query: RangeQuery) {
  const orgId = caller.organization.id;
  const range = rangeOf(query, ctx.clock.now());
  if (!(await isKnown(ctx.db.kysely, orgId, 'session', id))) throw notFound('session', id);
  return { ...range, ...seriesOf(range, await readUseOfSession(ctx.db.kysely, orgId, id, range)) };
}

/** Returns the use of some values together, by the start of the interval; intervals without use are absent. */
export async function useByInterval(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  key: UseKey,
  over: { range: DayRange; interval: Interval },
): Promise<Map<string, Use>> {
  const rows = await readUseByInterval(ctx.db.kysely, orgId, key, over);
  return new Map(rows.map((row) => [row.start, useOf(row)]));
}
