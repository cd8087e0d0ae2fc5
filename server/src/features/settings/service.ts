import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../audit-logs/mutate.ts';
import { isEnforced, namespaces, type Namespace, type Setting } from './namespaces.ts';
import { agentExists, deleteSetting, lockSettings, readEverywhere, readSettings, writeSetting } from './store.ts';
import { checkPut, inEffect, invalid, putSchema } from './value.ts';

export type { Setting } from './namespaces.ts';

type SettingsContext = Pick<Context, 'db' | 'clock'>;

const names = Object.keys(namespaces).filter(isNamespace);

/** The whole value of a namespace as it is in effect for an organization. */
export async function settingsOf<N extends Namespace>(
  db: Kysely<DB>,
  orgId: string,
  namespace: N,
): Promise<Setting<N>> {
  const [row] = await readSettings(db, orgId, [namespace]);
  return inEffect(namespace, row?.value);
}

/** Several namespaces, with one look at the database. */
export async function settingsReader<N extends Namespace>(
  db: Kysely<DB>,
  orgId: string,
  wanted: readonly N[],
): Promise<<M extends N>(namespace: M) => Setting<M>> {
  const rows = await readSettings(db, orgId, wanted);
  return (namespace) => inEffect(namespace, rows.find((row) => row.namespace === namespace)?.value);
}

/** A namespace of every organization: of those that changed it, and what all others have. */
export async function settingsEverywhere<N extends Namespace>(
  db: Kysely<DB>,
  namespace: N,
): Promise<{ byDefault: Setting<N>; changed: { orgId: string; value: Setting<N> }[] }> {
  const rows = await readEverywhere(db, namespace);
  return {
    byDefault: inEffect(namespace, undefined),
    changed: rows.map((row) => ({ orgId: row.org_id, value: inEffect(namespace, row.value) })),
  };
}

/** The keys of the organization's secrets that its settings use outside of sandboxes. */
export async function secretsOfSettings(db: Kysely<DB>, orgId: string): Promise<ReadonlySet<string>> {
  const settings = await settingsReader(db, orgId, ['models', 'notifications']);
  const keys = [...settings('models').providers, settings('notifications').slack].map(({ secret }) => secret);
  return new Set(keys.filter((key) => key !== ''));
}

/** Every namespace, in the order of the contract, also those that nobody changed. */
export async function listSettings(ctx: SettingsContext, caller: Caller, query: PageQuery) {
  const orgId = caller.organization.id;
  const page = await paginate({
    list: 'settings',
    filters: { orgId },
    query,
    rows: async (after, limit) => {
      const from = after === undefined ? 0 : names.findIndex((name) => name === after) + 1;
      const wanted = names.slice(from, from + limit);
      const rows = wanted.length === 0 ? [] : await readSettings(ctx.db.kysely, orgId, wanted);
      return wanted.map((namespace) => ({
        id: namespace,
        value: inEffect(namespace, rows.find((row) => row.namespace === namespace)?.value),
      }));
    },
    total: async () => names.length,
  });
  return { ...page, items: page.items.map(({ id, value }) => shownAs(id, value)) };
}

/** Throws 400 `unknown_namespace`, as everything here does. */
export async function getSettings(ctx: SettingsContext, caller: Caller, name: string) {
  const namespace = namespaceCalled(name);
  return shownAs(namespace, await settingsOf(ctx.db.kysely, caller.organization.id, namespace));
}

export function getSettingsSchema(name: string): object {
  return putSchema(namespaceCalled(name));
}

/** Replaces a namespace's value; what it leaves out has its default. Throws 400 `invalid_request` naming the path. */
export async function replaceSettings(
  ctx: SettingsContext,
  caller: Caller,
  name: string,
  put: Record<string, unknown> | undefined,
) {
  const orgId = caller.organization.id;
  const namespace = namespaceCalled(name);
  if (put === undefined) throw invalid([{ path: '', message: 'must be a JSON object' }]);
  const value = checkPut(namespace, put);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    if ('default_agent' in value && value.default_agent !== '' && !(await agentExists(trx, orgId, value.default_agent)))
      throw invalid([{ path: '/default_agent', message: 'is no agent of this organization' }]);
    const before = await settingsOf(trx, orgId, namespace);
    await writeSetting(trx, { org_id: orgId, namespace, value: JSON.stringify(put), updated_at: ctx.clock.now() });
    audit({
      action: 'settings.replace',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, value),
    });
    return shownAs(namespace, value);
  });
}

/** Back to the default; harmless where nothing was put. */
export async function resetSettings(ctx: SettingsContext, caller: Caller, name: string): Promise<null> {
  const orgId = caller.organization.id;
  const namespace = namespaceCalled(name);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    const before = await settingsOf(trx, orgId, namespace);
    await deleteSetting(trx, orgId, namespace);
    audit({
      action: 'settings.reset',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, inEffect(namespace, undefined)),
    });
    return null;
  });
}

function shownAs(namespace: Namespace, value: object) {
  return { namespace, value, enforced: isEnforced(namespace) };
}

function namespaceCalled(name: string): Namespace {
  if (isNamespace(name)) return name;
  const shown = JSON.stringify(name.slice(0, 100));
  throw new AppError('unknown_namespace', `There are no settings called ${shown}; there are ${names.join(', ')}.`);
}

function isNamespace(name: string): name is Namespace {
  return Object.hasOwn(namespaces, name);
}

/** The fields that differ, and what they were and are. */
function difference(before: object, after: object): Record<string, unknown> {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(earlier.get(key), value));
  return {
    fields: changed.map(([key]) => key),
    before: Object.fromEntries(changed.map(([key]) => [key, forRecord(key, earlier.get(key))])),
    after: Object.fromEntries(changed.map(([key, value]) => [key, forRecord(key, value)])),
  };
}

/** The path of a webhook's address is often its credential. */
function forRecord(key: string, value: unknown): unknown {
  if (key !== 'webhooks' || !Array.isArray(value)) return value;
  return value.map((hook) => ({ ...Object(hook), url: URL.parse(String(Object(hook).url))?.origin ?? '' }));
}
