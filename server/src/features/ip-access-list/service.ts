import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { Actor, AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { canonicalAddress, canonicalCidr, inRanges, isCidr } from '../../lib/cidr.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { mutate, recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { maxEntries, type AddIpAccessEntry, type ReplaceIpAccessList } from './schemas.ts';
import { deleteEntry, insertEntry, lockList, readEnabled, readEntries, replaceEntries, reviseList } from './store.ts';

type ListContext = Pick<Context, 'db' | 'clock'>;

export async function getIpAccessList(ctx: Pick<Context, 'db'>, caller: Actor) {
  return listIn(ctx.db.kysely, caller.organization.id);
}

async function listIn(db: Kysely<DB>, orgId: string) {
  return { enabled: await readEnabled(db, orgId), entries: await readEntries(db, orgId) };
}

/** Replaces the whole list; existing entries keep their ids. Throws 409 `would_lock_out` unless forced. */
export async function replaceIpAccessList(ctx: ListContext, caller: AuthenticatedCaller, input: ReplaceIpAccessList) {
  const orgId = caller.organization.id;
  const { enabled, force = false } = input;
  const wanted = canonicalEntries(input.entries);
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    await lockList(trx, orgId);
    await requireMatch(caller, () => listIn(trx, orgId));
    if (enabled && !force) refuseLockOut(caller, wanted);
    const list = await listIn(trx, orgId);
    const present = { enabled: list.enabled, entries: list.entries.map(({ cidr, note }) => ({ cidr, note })) };
    if (isDeepStrictEqual(present, { enabled, entries: wanted })) return list;
    await reviseList(trx, orgId, enabled);
    const before = new Map(list.entries.map((entry) => [entry.cidr, entry]));
    const entries = wanted.map(({ cidr, note }) => {
      const { id, created_at } = before.get(cidr) ?? { id: newId('ipe', now.getTime()), created_at: now };
      return { id, cidr, note, created_at };
    });
    await replaceEntries(
      trx,
      orgId,
      entries.map((entry, position) => ({ ...entry, org_id: orgId, position })),
    );
    audit({
      action: 'ip_access_list.replace',
      resource: { type: 'ip_access_list', id: orgId },
      changes: { enabled, force, cidrs: entries.map(({ cidr }) => cidr) },
    });
    return { enabled, entries };
  });
}

/** Adds a range at the end; 409 `conflict` if the list already has it, or is full. */
export async function addIpAccessEntry(ctx: ListContext, caller: Caller, input: AddIpAccessEntry) {
  const orgId = caller.organization.id;
  const cidr = canonical('/cidr', input.cidr);
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    await reviseList(trx, orgId);
    const entries = await readEntries(trx, orgId);
    if (entries.some((entry) => entry.cidr === cidr))
      throw new AppError('conflict', `The list already contains ${cidr}.`);
    if (entries.length >= maxEntries)
      throw new AppError(
        'conflict',
        `Limit reached: an IP access list can have at most ${maxEntries} entries. Delete one first.`,
      );
    const row = await insertEntry(trx, {
      id: newId('ipe', now.getTime()),
      org_id: orgId,
      // Sorted after the last replacement; added ones sort by id, and so by time.
      position: maxEntries,
      cidr,
      note: input.note ?? '',
      created_at: now,
    });
    audit({ action: 'ip_access_list.add', resource: { type: 'ip_entry', id: row.id }, changes: { cidr } });
    return row;
  });
}

/** Removes a range; 404 `ip_entry_not_found`, 409 `would_lock_out`, 412 for another state of the list. */
export async function removeIpAccessEntry(ctx: ListContext, caller: AuthenticatedCaller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const enabled = await reviseList(trx, orgId);
    await requireMatch(caller, () => listIn(trx, orgId));
    const entries = await readEntries(trx, orgId);
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) throw notFound('ip_entry', id);
    const left = entries.filter((one) => one !== entry);
    if (enabled) refuseLockOut(caller, left);
    await deleteEntry(trx, orgId, id);
    const changes = { cidr: entry.cidr };
    audit({ action: 'ip_access_list.remove', resource: { type: 'ip_entry', id }, changes });
    return null;
  });
}

/** Tells if the current list allows an address, by default the caller's, and returns the narrowest range that contains it. */
export async function checkIpAccess(ctx: Pick<Context, 'db'>, caller: AuthenticatedCaller, text = caller.request.ip) {
  const ip = text.includes('%') ? '' : canonicalAddress(text);
  if (ip === '') throw fieldError('/ip', 'must be an IPv4 or IPv6 address.');
  const { enabled, entries } = await getIpAccessList(ctx, caller);
  const holding = entries.map(({ cidr }) => cidr).filter((cidr) => inRanges(ip, [cidr]));
  const matched = holding.toSorted((one, other) => prefixOf(other) - prefixOf(one))[0] ?? '';
  return { ip, allowed: !enabled || matched !== '', matched };
}

/** Disables an organization's list and keeps its entries, for an operator to undo a lock-out. */
export async function disableIpAccessList(ctx: ListContext, orgId: string): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    await reviseList(trx, orgId, false);
    const fact: AuditFact = { action: 'ip_access_list.disable', resource: { type: 'ip_access_list', id: orgId } };
    await recordSystemAct(trx, orgId, 'operator', fact, ctx.clock.now());
  });
}

function canonicalEntries(entries: readonly AddIpAccessEntry[]): { cidr: string; note: string }[] {
  const seen = new Set<string>();
  return entries.map(({ cidr: text, note = '' }, at) => {
    const path = `/entries/${at}/cidr`;
    const cidr = canonical(path, text);
    if (seen.has(cidr)) throw fieldError(path, `repeats ${cidr}`);
    seen.add(cidr);
    return { cidr, note };
  });
}

function canonical(path: string, text: string): string {
  if (isCidr(text)) return canonicalCidr(text);
  throw fieldError(path, `${JSON.stringify(text)} must be a CIDR range`);
}

function refuseLockOut(caller: AuthenticatedCaller, entries: readonly { cidr: string }[]): void {
  const { ip } = caller.request;
  const ranges = entries.map(({ cidr }) => cidr);
  if (inRanges(ip, ranges)) return;
  throw new AppError(
    'would_lock_out',
    `This would lock out your own address (${ip}). Send "force": true in a PUT to apply it anyway.`,
  );
}

function prefixOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}
