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
import { amountsOf, seriesIn, without, type Amounts } from './series.ts';
import { useOf, type Use } from './use.ts';
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
  const [all, { groups, total, rest }] = await Promise.all([
    readAmounts(ctx, orgId, { dimension: 'organization', values: [''] }, range),
    dimension === undefined ? noGroups(range) : readGroups(ctx, orgId, dimension, { range, limit: top }),
  ]);
  const seriesOf = seriesIn(range);
  return {
    ...range,
    group_by: dimension ?? ('' as const),
    ...seriesOf(all('')),
    groups: groups.map(({ id, name, amounts }) => ({ id, name, ...seriesOf(amounts) })),
    groups_total: total,
    rest: seriesOf(rest),
  };
}

/** Returns a function that returns the amounts of a value. */
async function readAmounts(
  ctx: ConsumptionContext,
  orgId: string,
  key: UseKey,
  range: DayRange,
): Promise<(value: string) => Amounts> {
  const rows = await readUseByDay(ctx.db.kysely, orgId, key, range);
  const byValue = new Map(rows.map((row) => [row.value, row]));
  return (value) => amountsOf(countDays(range), byValue.get(value));
}

interface Groups {
  groups: { id: string; name: string; amounts: Amounts }[];
  total: number;
  rest: Amounts;
}

function noGroups(range: DayRange): Groups {
  return { groups: [], total: 0, rest: amountsOf(countDays(range), undefined) };
}

async function readGroups(
  ctx: ConsumptionContext,
  orgId: string,
  dimension: GroupBy,
  { range, limit }: { range: DayRange; limit: number },
): Promise<Groups> {
  const { values, total } = await readTopValues(ctx.db.kysely, orgId, dimension, { range, limit });
  const [amountsOfValue, names] = await Promise.all([
    readAmounts(ctx, orgId, { dimension, values: [...values, ''] }, range),
    namesOf(ctx, orgId, dimension, values),
  ]);
  const groups = values.map((id) => ({ id, name: names.get(id) ?? '', amounts: amountsOfValue(id) }));
  const taken = groups.map(({ amounts }) => amounts);
  return { groups, total, rest: without(amountsOfValue(''), taken) };
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
  const amountsOfValue = await readAmounts(ctx, orgId, { dimension: kind, values: [id] }, range);
  return { ...range, ...seriesIn(range)(amountsOfValue(id)) };
}

/** Returns the days of a session, also of a deleted one; 404 `session_not_found`. */
export async function getConsumptionOfSession(ctx: ConsumptionContext, caller: Actor, id: string, query: RangeQuery) {
  const orgId = caller.organization.id;
  const range = rangeOf(query, ctx.clock.now());
  if (!(await isKnown(ctx.db.kysely, orgId, 'session', id))) throw notFound('session', id);
  const columns = await readUseOfSession(ctx.db.kysely, orgId, id, range);
  return { ...range, ...seriesIn(range)(amountsOf(countDays(range), columns)) };
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
