import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { stepsOf } from '../../lib/json-pointer.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { aboveMaxima } from './maxima.ts';
import type { Organization } from './namespaces/define.ts';
import { definitionOf, type Namespace, type Setting } from './namespaces/index.ts';
import { parseNamespace, readSettingRecord, shownAs } from './service.ts';
import { lockSettings, writeSetting } from './store.ts';
import { checkPut, inEffect, invalid } from './value.ts';

type ReplaceContext = Pick<Context, 'db' | 'clock' | 'config'>;

/**
 * Replaces a namespace's value; omitted keys get their defaults. Throws 400 `invalid_request` naming the path, and 403
 * if the caller may not make the change.
 */
export async function replaceSettings(
  ctx: ReplaceContext,
  caller: Caller,
  name: string,
  put: Record<string, unknown> | undefined,
) {
  const orgId = caller.organization.id;
  const namespace = parseNamespace(name);
  if (put === undefined) throw invalid([{ path: '', message: 'must be a JSON object' }]);
  const value = checkPut(namespace, put);
  const definition = definitionOf(namespace);
  const above = aboveMaxima(put, definition.maxima?.(ctx.config) ?? {});
  if (above.length > 0) throw invalid(above);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    const row = await readSettingRecord(trx, orgId, namespace);
    await requireMatch(caller, () => shownAs(ctx, namespace, row));
    const before = inEffect(namespace, row?.value);
    const missing = await newlyMissing(namespace, { trx, orgId, config: ctx.config }, before, value);
    if (missing.length > 0) throw invalid(missing);
    definition.authorize?.(caller, before, value);
    if (isDeepStrictEqual(row?.value, put)) return shownAs(ctx, namespace, row);
    const now = ctx.clock.now();
    await writeRow(trx, caller, { namespace, put, now });
    await definition.changed?.({ trx, orgId, now }, before, value);
    audit({
      action: 'settings.replace',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, value),
    });
    return shownAs(ctx, namespace, await readSettingRecord(trx, orgId, namespace));
  });
}

/** Resets a namespace to its defaults; harmless if it has them already. */
export async function resetSettings(ctx: ReplaceContext, caller: Caller, name: string): Promise<null> {
  const orgId = caller.organization.id;
  const namespace = parseNamespace(name);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    const row = await readSettingRecord(trx, orgId, namespace);
    await requireMatch(caller, () => shownAs(ctx, namespace, row));
    if (row === undefined || isDeepStrictEqual(row.value, {})) return null;
    const before = inEffect(namespace, row.value);
    const after = inEffect(namespace, undefined);
    const now = ctx.clock.now();
    await writeRow(trx, caller, { namespace, put: {}, now });
    await definitionOf(namespace).changed?.({ trx, orgId, now }, before, after);
    audit({
      action: 'settings.reset',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, after),
    });
    return null;
  });
}

/**
 * Returns the references of a value to what does not exist, except for those that a key has had before: what was deleted since
 * must not prevent a change of other keys.
 */
async function newlyMissing<N extends Namespace>(
  namespace: N,
  organization: Organization,
  before: Setting<N>,
  value: Setting<N>,
): Promise<SchemaProblem[]> {
  const { missing } = definitionOf(namespace);
  const problems = (await missing?.(organization, value)) ?? [];
  if (missing === undefined || problems.length === 0) return [];
  const known = await missing(organization, before);
  return problems.filter((problem) => {
    const key = stepsOf(problem.path)[0] ?? '';
    const isSame = isDeepStrictEqual(Reflect.get(before, key), Reflect.get(value, key));
    return !isSame || !known.some((one) => isDeepStrictEqual(one, problem));
  });
}

async function writeRow(
  trx: Transaction<DB>,
  { organization, principal }: Caller,
  { namespace, put, now }: { namespace: Namespace; put: object; now: Date },
): Promise<void> {
  await writeSetting(trx, {
    org_id: organization.id,
    namespace,
    value: JSON.stringify(put),
    updated_at: now,
    updated_by_type: principal.type,
    updated_by_id: principal.id,
  });
}

/** Returns the changed fields, with their old and new values. */
function difference(before: object, after: object): Record<string, unknown> {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(earlier.get(key), value));
  return {
    fields: changed.map(([key]) => key),
    before: Object.fromEntries(changed.map(([key]) => [key, forRecord(key, earlier.get(key))])),
    after: Object.fromEntries(changed.map(([key, value]) => [key, forRecord(key, value)])),
  };
}

/** Redacts the path of a webhook's URL, which is often its credential. */
function forRecord(key: string, value: unknown): unknown {
  if (key !== 'webhooks' || !Array.isArray(value)) return value;
  return value.map((hook) => ({ ...Object(hook), url: URL.parse(String(Object(hook).url))?.origin ?? '' }));
}
