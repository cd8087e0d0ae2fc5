import type { Kysely } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { definitionOf, namespaces, type Namespace, type Setting } from './namespaces/index.ts';
import { lowered, loweredSchema } from './maxima.ts';
import { readEverywhere, readSettingRecords, readSettings, readSettingsAmong } from './store.ts';
import { inEffect, putSchema } from './value.ts';

export type { Setting } from './namespaces/index.ts';

type SettingsContext = Pick<Context, 'db' | 'clock' | 'config'>;

const names = Object.keys(namespaces).filter(isNamespace);

/** Returns the effective value of a namespace for an organization. */
export async function settingsOf<N extends Namespace>(
  db: Kysely<DB>,
  orgId: string,
  namespace: N,
): Promise<Setting<N>> {
  const [row] = await readSettings(db, orgId, [namespace]);
  return inEffect(namespace, row?.value);
}

/** Returns the defaults of a namespace. */
export function defaultsOf<N extends Namespace>(namespace: N): Setting<N> {
  return inEffect(namespace, undefined);
}

/** Reads several namespaces with one query. */
export async function settingsReader<N extends Namespace>(
  db: Kysely<DB>,
  orgId: string,
  wanted: readonly N[],
): Promise<<M extends N>(namespace: M) => Setting<M>> {
  const rows = await readSettings(db, orgId, wanted);
  return (namespace) => inEffect(namespace, rows.find((row) => row.namespace === namespace)?.value);
}

/** Returns a namespace of some organizations, by their ids. */
export async function settingsAmong<N extends Namespace>(
  db: Kysely<DB>,
  orgIds: readonly string[],
  namespace: N,
): Promise<(orgId: string) => Setting<N>> {
  const rows = await readSettingsAmong(db, orgIds, namespace);
  const values = new Map(rows.map(({ org_id, value }) => [org_id, value]));
  return (orgId) => inEffect(namespace, values.get(orgId));
}

/** Returns a namespace of every organization: the changed values, and the default of all others. */
export async function settingsEverywhere<N extends Namespace>(
  db: Kysely<DB>,
  namespace: N,
): Promise<{ byDefault: Setting<N>; changed: { orgId: string; value: Setting<N> }[] }> {
  const rows = await readEverywhere(db, namespace);
  return {
    byDefault: defaultsOf(namespace),
    changed: rows.map((row) => ({ orgId: row.org_id, value: inEffect(namespace, row.value) })),
  };
}

/** Returns the keys of the organization's secrets that its settings use outside of sandboxes. */
export async function secretsOfSettings(db: Kysely<DB>, orgId: string): Promise<ReadonlySet<string>> {
  const withSecrets = names.filter((name) => definitionOf(name).secrets !== undefined);
  const settings = await settingsReader(db, orgId, withSecrets);
  const keys = withSecrets.flatMap((name) => definitionOf(name).secrets?.(settings(name)) ?? []);
  return new Set(keys.filter((key) => key !== ''));
}

/** Returns every namespace in the order of the contract, including unchanged ones. */
export async function listSettings(ctx: SettingsContext, caller: Actor, query: PageQuery) {
  const orgId = caller.organization.id;
  const page = await paginate({
    list: 'settings',
    filters: { orgId },
    query,
    rows: async (after, limit) => {
      const from = after === undefined ? 0 : names.findIndex((name) => name === after) + 1;
      const wanted = names.slice(from, from + limit);
      const rows = wanted.length === 0 ? [] : await readSettingRecords(ctx.db.kysely, orgId, wanted);
      return wanted.map((namespace) => ({ id: namespace, row: rows.find((row) => row.namespace === namespace) }));
    },
    total: async () => names.length,
  });
  return { ...page, items: page.items.map(({ id, row }) => shownAs(ctx, id, row)) };
}

/** Throws 400 `unknown_namespace`, like all functions here. */
export async function getSettings(ctx: SettingsContext, caller: Actor, name: string) {
  const namespace = parseNamespace(name);
  return shownAs(ctx, namespace, await readSettingRecord(ctx.db.kysely, caller.organization.id, namespace));
}

/** Returns a namespace as it is stored; undefined if it was never changed. */
export async function readSettingRecord(db: Kysely<DB>, orgId: string, namespace: Namespace) {
  return (await readSettingRecords(db, orgId, [namespace]))[0];
}

export function getSettingsSchema({ config }: Pick<Context, 'config'>, name: string): object {
  const namespace = parseNamespace(name);
  const schema = putSchema(namespace);
  const maxima = definitionOf(namespace).maxima?.(config);
  return maxima === undefined ? schema : loweredSchema(schema, maxima);
}

/** Returns a namespace in its API shape, of the stored one. */
export function shownAs(
  { config }: Pick<Context, 'config'>,
  namespace: Namespace,
  row: Awaited<ReturnType<typeof readSettingRecord>>,
) {
  const { title, enforced, maxima } = definitionOf(namespace);
  const value = inEffect(namespace, row?.value);
  const put = Object(row?.value ?? {});
  return {
    namespace,
    title,
    value: lowered(value, maxima?.(config) ?? {}),
    enforced,
    set_keys: Object.keys(value).filter((key) => Object.hasOwn(put, key)),
    revision: row?.revision ?? 0,
    updated_at: row?.updated_at ?? null,
    updated_by: row?.updated_by ?? null,
  };
}

/** Throws 400 `unknown_namespace`. */
export function parseNamespace(name: string): Namespace {
  if (isNamespace(name)) return name;
  const shown = JSON.stringify(name.slice(0, 100));
  throw new AppError(
    'unknown_namespace',
    `The settings namespace ${shown} does not exist. Choose one of: ${names.join(', ')}.`,
  );
}

function isNamespace(name: string): name is Namespace {
  return Object.hasOwn(namespaces, name);
}
