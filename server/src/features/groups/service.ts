import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { dayForm, isDay } from '../../lib/days.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import type { AuditVerb } from '../../lib/names.ts';
import { toMillionth } from '../../lib/rounded.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { localDay, nextMidnight, parseTimeZone } from '../../lib/time-zone.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { listMembersIn } from '../members/service.ts';
import type { CreateGroup, LimitsInput, UpdateGroup } from './schemas.ts';
import {
  deleteGroupMembers,
  deleteGroupRow,
  groupsQuery,
  insertGroup,
  insertGroupMembers,
  listGroupRows,
  lockGroup,
  nameIsTaken,
  readGroup,
  readGroupDays,
  readGroupsOfUser,
  findNonMembers,
  updateGroupRow,
  wakeQueue,
} from './store.ts';

type GroupContext = Pick<Context, 'db' | 'clock'>;
type GroupRow = NonNullable<Awaited<ReturnType<typeof readGroup>>>;

export async function listGroups(ctx: GroupContext, caller: Actor, query: PageQuery) {
  const rows = groupsQuery(ctx.db.kysely, caller.organization.id);
  const page = await paginate({
    list: 'groups',
    filters: { orgId: caller.organization.id },
    query,
    rows: (after, limit) => listGroupRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

export async function getGroup(ctx: GroupContext, caller: Actor, id: string) {
  const row = await readGroup(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('group', id);
  return toApiShape(row);
}

/** Throws 409 `conflict` if the organization has a group with this name, case-insensitively. */
export async function createGroup(ctx: GroupContext, caller: Caller, input: CreateGroup) {
  const orgId = caller.organization.id;
  const { name, description = '' } = input;
  const limits = columnsOf(input.limits ?? {});
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const id = newId('grp', now.getTime());
    if (await nameIsTaken(trx, orgId, name, id)) throw taken(name);
    await insertGroup(trx, { id, org_id: orgId, name, description, ...limits, created_at: now, updated_at: now });
    audit({ action: 'group.create', resource: { type: 'group', id }, changes: { name, limits: input.limits ?? {} } });
    return readBack(trx, orgId, id);
  });
}

/** Updates the given fields and limits; checks the sessions that wait for them again. */
export async function updateGroup(ctx: GroupContext, caller: Caller, id: string, input: UpdateGroup) {
  const { name, description, limits } = input;
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...columnsOf(limits ?? {}),
  };
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockForChange(trx, caller, id);
    if (changesNothing(before, change)) return readBack(trx, orgId, id);
    if (name !== undefined && (await nameIsTaken(trx, orgId, name, id))) throw taken(name);
    await updateGroupRow(trx, id, { ...change, updated_at: ctx.clock.now() });
    await wakeQueue(trx, id);
    audit({ action: 'group.update', resource: { type: 'group', id }, changes: { ...input } });
    return readBack(trx, orgId, id);
  });
}

/** Deletes a group; its sessions continue, and sessions that wait for it stop waiting. */
export async function deleteGroup(ctx: GroupContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    await lockForChange(trx, caller, id);
    await deleteGroupRow(trx, id);
    await wakeQueue(trx, id);
    audit({ action: 'group.delete', resource: { type: 'group', id } });
    return null;
  });
}

/** Lists the members of a group. */
export async function listGroupMembers(ctx: GroupContext, caller: Actor, id: string, query: PageQuery) {
  await getGroup(ctx, caller, id);
  return listMembersIn(ctx, caller, id, query);
}

export async function addGroupMembers(ctx: GroupContext, caller: Caller, id: string, userIds: string[]) {
  return changeMembers(ctx, caller, id, 'members_add', userIds, async (trx, group) => {
    await requireMembers(trx, group.orgId, userIds);
    return (await insertGroupMembers(trx, group, userIds, ctx.clock.now())) > 0n;
  });
}

/** Adds the listed users and removes all others; nothing happens if the group has exactly these. */
export async function replaceGroupMembers(ctx: GroupContext, caller: Caller, id: string, userIds: string[]) {
  return changeMembers(ctx, caller, id, 'members_replace', userIds, async (trx, group) => {
    await requireMembers(trx, group.orgId, userIds);
    const removed = await deleteGroupMembers(trx, id, userIds, { others: true });
    const added = await insertGroupMembers(trx, group, userIds, ctx.clock.now());
    return removed + added > 0n;
  });
}

/** Removes users; ignores those outside of the group. */
export async function removeGroupMembers(ctx: GroupContext, caller: Caller, id: string, userIds: string[]) {
  return changeMembers(ctx, caller, id, 'members_remove', userIds, async (trx) => {
    return (await deleteGroupMembers(trx, id, userIds)) > 0n;
  });
}

/** Returns what a group used on a day, and its reservations for sessions and running calls. Default today. */
export async function getGroupUsage(ctx: GroupContext, caller: Actor, id: string, day: string | undefined) {
  if (day !== undefined && !isDay(day)) throw fieldError('/date', dayForm);
  const group = await getGroup(ctx, caller, id);
  const { timezone } = group.limits;
  const date = day ?? localDay(ctx.clock.now(), timezone);
  const [row] = await readGroupDays(ctx.db.kysely, [{ groupId: id, day: date }]);
  return { date, timezone, limits: group.limits, ...amountsOf(row) };
}

/** Returns the limits of a user's groups, at most 100, with what is used and reserved today, and when that ends. */
export async function groupLimitsOf(ctx: GroupContext, orgId: string, userId: string) {
  const now = ctx.clock.now();
  const groups = (await readGroupsOfUser(ctx.db.kysely, orgId, userId, 100)).map(toApiShape);
  const days = groups.map(({ id, limits }) => ({ groupId: id, day: localDay(now, limits.timezone) }));
  const rows = days.length === 0 ? [] : await readGroupDays(ctx.db.kysely, days);
  return groups.map(({ id, name, limits }) => ({
    id,
    name,
    limits,
    ...amountsOf(rows.find((row) => row.group_id === id)),
    resets_at: nextMidnight(now, limits.timezone),
  }));
}

function amountsOf(row: Awaited<ReturnType<typeof readGroupDays>>[number] | undefined) {
  return {
    used: {
      cost_usd: toMillionth(row?.cost_usd ?? 0),
      tokens: row?.tokens ?? 0,
      sessions: row?.sessions ?? 0,
      sandbox_minutes: toMillionth((row?.sandbox_seconds ?? 0) / 60),
    },
    reserved: {
      cost_usd: toMillionth(row?.reserved_cost_usd ?? 0),
      tokens: row?.reserved_tokens ?? 0,
      sessions: row?.reserved_sessions ?? 0,
      sandbox_minutes: toMillionth((row?.reserved_sandbox_seconds ?? 0) / 60),
    },
  };
}

/** Changes the members of a group. `change` returns false if nothing happened, so nothing is on record. */
async function changeMembers(
  ctx: GroupContext,
  caller: Caller,
  id: string,
  action: AuditVerb<'group'>,
  userIds: string[],
  change: (trx: Transaction<DB>, group: { id: string; orgId: string }) => Promise<boolean>,
): Promise<ReturnType<typeof toApiShape>> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    await lockForChange(trx, caller, id);
    if (await change(trx, { id, orgId })) {
      await wakeQueue(trx, id);
      audit({ action: `group.${action}`, resource: { type: 'group', id }, changes: { user_ids: userIds } });
    }
    return readBack(trx, orgId, id);
  });
}

/** Throws 404 `group_not_found`, and 412 for another state than that of the caller's `If-Match`. */
async function lockForChange(trx: Transaction<DB>, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  const group = await lockGroup(trx, orgId, id);
  if (group === undefined) throw notFound('group', id);
  await requireMatch(caller, () => readBack(trx, orgId, id));
  return group;
}

async function requireMembers(trx: Transaction<DB>, orgId: string, userIds: string[]): Promise<void> {
  const [stranger] = await findNonMembers(trx, orgId, userIds);
  if (stranger !== undefined) throw notFound('user', stranger);
}

async function readBack(trx: Transaction<DB>, orgId: string, id: string) {
  const row = await readGroup(trx, orgId, id);
  if (row === undefined) throw notFound('group', id);
  return toApiShape(row);
}

function taken(name: string): AppError {
  return new AppError(
    'conflict',
    `A group named ${JSON.stringify(name)} already exists in this organization. Choose another name.`,
  );
}

/** Returns the columns of the given limits; null removes a limit. */
function columnsOf({ per_day: perDay = {}, timezone, on_exceed }: LimitsInput) {
  const zone = timezone === undefined ? undefined : parseTimeZone(timezone);
  if (timezone !== undefined && zone === undefined)
    throw fieldError('/limits/timezone', `: ${JSON.stringify(timezone)} must be an IANA time zone.`);
  return {
    ...(perDay.cost_usd === undefined ? {} : { max_cost_usd: perDay.cost_usd }),
    ...(perDay.tokens === undefined ? {} : { max_tokens: perDay.tokens }),
    ...(perDay.sessions === undefined ? {} : { max_sessions: perDay.sessions }),
    ...(perDay.sandbox_minutes === undefined ? {} : { max_sandbox_minutes: perDay.sandbox_minutes }),
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(on_exceed === undefined ? {} : { on_exceed }),
  };
}

function toApiShape(row: GroupRow) {
  const { id, name, description, member_count, members_digest, timezone, on_exceed } = row;
  const per_day = {
    cost_usd: row.max_cost_usd,
    tokens: row.max_tokens,
    sessions: row.max_sessions,
    sandbox_minutes: row.max_sandbox_minutes,
  };
  return { id, name, description, member_count, members_digest, limits: { per_day, timezone, on_exceed } };
}
