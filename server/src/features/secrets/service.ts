import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { writerOf, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { filterValues, repositoryValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { writerAfter, type Writer } from '../../lib/writer.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { comparableName } from '../../lib/providers.ts';
import { repositoryByPrefixedName } from '../repositories/service.ts';
import { open, seal } from './envelope.ts';
import { refuseReserved, refuseTraits, refuseValue } from './rules.ts';
import { scopes, type CreateSecret, type SecretQuery, type UpdateSecret } from './schemas.ts';
import { secretPurpose } from './public.ts';
import {
  deleteSecretRow,
  insertSecret,
  listPlace,
  listSecretRows,
  listUseRows,
  lockSecret,
  lockSecrets,
  readSealed,
  readSecret,
  secretsQuery,
  updateSecretRow,
  usesQuery,
} from './store.ts';

export type SecretContext = Pick<Context, 'db' | 'clock' | 'keyRing'>;

/** Maximum number of secrets of an organization, of a repository, and of an owner. */
const maxSecrets = 100;

export async function listSecrets(ctx: SecretContext, caller: Actor, query: SecretQuery) {
  const orgId = caller.organization.id;
  const filter = {
    scopes: filterValues('scope', query.scope, scopes),
    repos: repositoryValues('repo', query.repo).map(comparableName),
    search: query.search,
  };
  const viewer = viewerOf(caller);
  const rows = secretsQuery(ctx.db.kysely, orgId, viewer, filter);
  const page = await paginate({
    list: 'secrets',
    filters: { ...filter, orgId, viewer },
    query,
    rows: (after, limit) => listSecretRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/** Throws 404 `repository_not_found`, 409 `secret_exists`, 409 `conflict` if there are 100 already. */
export async function createSecret(ctx: SecretContext, caller: Caller, input: CreateSecret) {
  const orgId = caller.organization.id;
  const { key, value, kind = 'env', scope = 'organization', exposure = 'sandbox', allowed_hosts = [] } = input;
  const traits = { kind, exposure, allowed_hosts };
  refuseReserved(key, '/key');
  refuseTraits(traits, '');
  refuseValue(value, traits, '/value');
  const repositoryId = await repositoryOf(ctx, orgId, scope, input.repo ?? '');
  const owner = ownerOf(caller, { scope });
  const now = ctx.clock.now();
  const id = newId('sec', now.getTime());
  const sealed = await seal(ctx, orgId, secretPurpose(id, 1), Buffer.from(value));
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSecrets(trx, orgId);
    const there = await listPlace(trx, orgId, { scope, repository_id: repositoryId, owner });
    if (there.some((secret) => secret.key === key))
      throw new AppError(
        'secret_exists',
        `A secret named ${key} already exists in this scope. Send PUT to its value to change it.`,
      );
    if (there.length >= maxSecrets)
      throw new AppError(
        'conflict',
        `Limit reached: a scope can have at most ${maxSecrets} secrets. Delete one first.`,
      );
    await insertSecret(trx, {
      id,
      org_id: orgId,
      key,
      ...traits,
      scope,
      repository_id: repositoryId,
      owner,
      note: input.note ?? '',
      sealed,
      value_written_by: writerOf(caller),
      traits_written_by: writerOf(caller),
      created_by_type: caller.principal.type,
      created_by_id: caller.principal.id,
      created_at: now,
      updated_at: now,
    });
    audit({
      action: 'secret.create',
      resource: { type: 'secret', id },
      changes: { key, scope, ...(input.repo === undefined ? {} : { repo: input.repo }), ...traits },
      data: { owner },
    });
    return requireSecret(trx, caller, id);
  });
}

/** Another request changed the secret first. */
class Changed extends Error {}

/** Runs a change of a secret again if another request changed it between its preparation and its transaction. */
async function untilUnchanged<T>(change: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
    }
}

/** Locks a secret that was read as `before`. Throws 404 `secret_not_found`, 412 `revision_conflict`, and {@link Changed}. */
async function lockUnchanged(trx: Transaction<DB>, caller: Caller, before: SecretRow): Promise<void> {
  await lockSecret(trx, caller.organization.id, before.id);
  const { last_used_at: _, ...now } = await requireRow(trx, caller, before.id);
  const { last_used_at: _then, ...then } = before;
  if (!isDeepStrictEqual(now, then)) throw new Changed();
  await requireMatch(caller, () => requireSecret(trx, caller, before.id));
}

/** Sets a new value, which sessions get with their next turn. Throws 404 `secret_not_found`. */
export async function setSecretValue(ctx: SecretContext, caller: Caller, id: string, value: string) {
  const orgId = caller.organization.id;
  return untilUnchanged(async () => {
    const before = await requireRow(ctx.db.kysely, caller, id);
    refuseValue(value, before, '/value');
    const version = before.version + 1;
    // Sealed for this version, and outside of the transaction, because a KMS may be slow.
    const sealed = await seal(ctx, orgId, secretPurpose(id, version), Buffer.from(value));
    return mutate(ctx, caller, async (trx, audit) => {
      await lockUnchanged(trx, caller, before);
      const change = { version, sealed, value_written_by: writerOf(caller), updated_at: ctx.clock.now() };
      await updateSecretRow(trx, orgId, id, change);
      audit({
        action: 'secret.set_value',
        resource: { type: 'secret', id },
        changes: { key: before.key, version },
        data: { owner: ownerOf(caller, before) },
      });
      return requireSecret(trx, caller, id);
    });
  });
}

/** Changes all but name, scope and value. Throws 404 `secret_not_found`. */
export async function updateSecret(ctx: SecretContext, caller: Caller, id: string, input: UpdateSecret) {
  const orgId = caller.organization.id;
  return untilUnchanged(async () => {
    const before = await requireRow(ctx.db.kysely, caller, id);
    const { kind = before.kind, exposure = before.exposure, allowed_hosts = before.allowed_hosts } = input;
    const traits = { kind, exposure, allowed_hosts };
    refuseTraits(traits, '');
    // A value that fits the old settings may not fit the new ones.
    if (kind !== before.kind || exposure !== before.exposure)
      refuseValue(await openValue(ctx, caller, id), traits, kind === before.kind ? '/exposure' : '/kind');
    return mutate(ctx, caller, async (trx, audit) => {
      await lockUnchanged(trx, caller, before);
      const traits_written_by = traitsWriter(before, caller, input);
      const change = { ...traits, note: input.note ?? before.note, traits_written_by };
      if (changesNothing(before, change)) return requireSecret(trx, caller, id);
      await updateSecretRow(trx, orgId, id, { ...change, updated_at: ctx.clock.now() });
      audit({
        action: 'secret.update',
        resource: { type: 'secret', id },
        changes: { key: before.key, ...input },
        data: { owner: ownerOf(caller, before) },
      });
      return requireSecret(trx, caller, id);
    });
  });
}

/** Throws 404 `secret_not_found`. */
export async function getSecret(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  return requireSecret(ctx.db.kysely, caller, id);
}

export async function deleteSecret(ctx: SecretContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSecret(trx, caller.organization.id, id);
    const before = await requireSecret(trx, caller, id);
    await requireMatch(caller, () => before);
    const { key } = before;
    await deleteSecretRow(trx, caller.organization.id, id);
    const data = { owner: ownerOf(caller, before) };
    audit({ action: 'secret.delete', resource: { type: 'secret', id }, changes: { key }, data });
    return null;
  });
}

/** Returns the sessions that got the secret, with versions, newest session first. Throws 404 `secret_not_found`. */
export async function listSecretUses(ctx: SecretContext, caller: Actor, id: string, query: PageQuery) {
  await requireSecret(ctx.db.kysely, caller, id);
  const rows = usesQuery(ctx.db.kysely, caller.organization.id, id);
  return paginate({
    list: 'secret_uses',
    filters: { id },
    query,
    rows: (after, limit) => listUseRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Returns the owner of a secret that the caller can see; `''` for a shared one. */
function ownerOf(caller: Actor, { scope }: { scope: string }): string {
  return scope === 'user' ? viewerOf(caller) : '';
}

/** The owner of a caller's own secrets; nobody else can see those. */
function viewerOf({ principal }: Actor): string {
  return `${principal.type}:${principal.id}`;
}

async function requireRow(db: SecretContext['db']['kysely'] | Transaction<DB>, caller: Actor, id: string) {
  const row = await readSecret(db, caller.organization.id, viewerOf(caller), id);
  if (row === undefined) throw notFound('secret', id);
  return row;
}

async function requireSecret(db: SecretContext['db']['kysely'] | Transaction<DB>, caller: Actor, id: string) {
  return toApiShape(await requireRow(db, caller, id));
}

const traitFields = ['kind', 'exposure', 'allowed_hosts'] as const;

/** Returns the author of a secret's settings after this change. */
function traitsWriter(before: SecretRow, caller: Actor, input: UpdateSecret): Writer {
  const named = traitFields.filter((field) => input[field] !== undefined);
  const hasHosts = before.allowed_hosts.length > 0;
  const whole = traitFields.every((field) => named.includes(field) || (field === 'allowed_hosts' && !hasHosts));
  const changes = named.some((field) => !isDeepStrictEqual(input[field], before[field]));
  return writerAfter(before.traits_written_by, writerOf(caller), { changes, whole });
}

async function openValue(ctx: SecretContext, caller: Actor, id: string): Promise<string> {
  const orgId = caller.organization.id;
  const row = await readSealed(ctx.db.kysely, orgId, viewerOf(caller), id);
  if (row === undefined) throw notFound('secret', id);
  return (await open(ctx, orgId, secretPurpose(id, row.version), row.sealed)).toString('utf8');
}

async function repositoryOf(ctx: SecretContext, orgId: string, scope: string, repo: string): Promise<string | null> {
  if ((scope === 'repository') !== (repo !== '')) {
    const problem = repo === '' ? 'is required for the scope "repository"' : `must be omitted for the scope "${scope}"`;
    throw fieldError('/repo', `${problem}.`);
  }
  if (repo === '') return null;
  return (await repositoryByPrefixedName(ctx, orgId, repo, '/repo')).id;
}

type SecretRow = NonNullable<Awaited<ReturnType<typeof readSecret>>>;

function toApiShape(row: SecretRow) {
  const { value_written_by: _value, traits_written_by: _traits, ...shown } = row;
  return shown;
}
