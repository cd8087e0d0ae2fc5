import type { Transaction } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { seal } from './envelope.ts';
import { refuseReserved, refuseTraits, refuseValue } from './rules.ts';
import type { SessionSecretInput } from './schemas.ts';
import { chosenOf, isOfOthers, maxSessionBytes, mergedBytes, preferred } from './selection.ts';
import { sessionPurpose } from './public.ts';
import { insertSessionSecrets, listSelected, listUsedIds, readForSecrets, type Selection } from './session-store.ts';
import { readSecret } from './store.ts';

type InputContext = Pick<Context, 'db' | 'keyRing' | 'clock'>;

export interface SessionSecretsInput {
  readonly sessionId: string;
  readonly repositoryIds: readonly string[];
  /** The principal whose own secrets apply. */
  readonly account: { readonly type: string; readonly id: string };
  /** As in the request: null and undefined stand for all that apply. */
  readonly secret_ids?: readonly string[] | null | undefined;
  readonly session_secrets?: readonly SessionSecretInput[] | undefined;
}

/** The secrets of a new session, checked and sealed. */
export interface PreparedSecrets {
  /** For its options; undefined for all that apply. */
  readonly secretIds: string[] | undefined;
  /** Names of those that belong to its creator. */
  readonly ownKeys: readonly string[];
  /** Names of the shared ones that another member wrote last. */
  readonly othersKeys: readonly string[];
  keep(trx: Transaction<DB>): Promise<void>;
}

/**
 * Checks which secrets a new session is to get, and seals its own: before the transaction, which must not wait for a KMS.
 * Throws 404 `secret_not_found`, 400 for secrets that do not apply, are reserved or too large, and 403 if a session's key asks
 * for more than its session has.
 */
export async function prepareSessionSecrets(
  ctx: InputContext,
  caller: Actor,
  input: SessionSecretsInput,
): Promise<PreparedSecrets> {
  const { sessionId, repositoryIds, account, session_secrets: sessionSecrets = [] } = input;
  const orgId = caller.organization.id;
  const own = sessionSecrets.map((secret, at) => checked(secret, at, sessionSecrets));
  const wanted = input.secret_ids ?? undefined;
  const secretIds = await withinParent(ctx, caller, wanted);
  const owner = `${account.type}:${account.id}`;
  const selection: Selection = { repositoryIds, owner, chosen: secretIds };
  const selected = await listSelected(ctx.db.kysely, orgId, selection);
  const missing = wanted?.find((id) => !selected.some((row) => row.id === id));
  if (missing !== undefined) {
    const row = await readSecret(ctx.db.kysely, orgId, owner, missing);
    if (row === undefined) throw notFound('secret', missing);
    throw fieldError('/secret_ids', `: ${row.key} belongs to ${row.repo}, which is not a repository of this session.`);
  }
  const ownBytes = own.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const nearest = preferred(selected, selection, own);
  if (ownBytes + mergedBytes(nearest) > maxSessionBytes)
    throw fieldError(
      '/secret_ids',
      `: limit exceeded: a session can have at most ${maxSessionBytes} bytes of secrets. Choose fewer.`,
    );
  const now = ctx.clock.now();
  const rows = await Promise.all(
    own.map(async ({ bytes, ...secret }) => {
      const id = newId('sec', now.getTime());
      const sealed = await seal(ctx, orgId, sessionPurpose(sessionId, id), bytes);
      bytes.fill(0);
      return { ...secret, id, org_id: orgId, session_id: sessionId, sealed, created_at: now };
    }),
  );
  return {
    secretIds: secretIds === undefined ? undefined : [...secretIds],
    ownKeys: nearest.filter(({ scope }) => scope === 'user').map(({ key }) => key),
    othersKeys: nearest.filter((row) => isOfOthers(row, owner)).map(({ key }) => key),
    keep: (trx) => insertSessionSecrets(trx, rows),
  };
}

function checked(secret: SessionSecretInput, at: number, all: readonly SessionSecretInput[]) {
  const path = `/session_secrets/${at}`;
  const { key, value, kind = 'env', exposure = 'sandbox', allowed_hosts = [] } = secret;
  const traits = { kind, exposure, allowed_hosts };
  if (all.findIndex((other) => other.key === key) !== at) throw fieldError(`${path}/key`, `repeats ${key}.`);
  refuseReserved(key, `${path}/key`);
  refuseTraits(traits, path);
  refuseValue(value, traits, `${path}/value`);
  return { key, ...traits, bytes: Buffer.from(value) };
}

/** Limits the secrets of a child session to those of its parent: the ones chosen for the parent, or else those it got. */
async function withinParent(
  ctx: InputContext,
  { organization, principal }: Actor,
  wanted: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (principal.type !== 'session') return wanted;
  const parent = await readForSecrets(ctx.db.kysely, organization.id, principal.id);
  const chosen = parent === undefined ? [] : chosenOf(parent);
  const allowed = chosen ?? (await listUsedIds(ctx.db.kysely, organization.id, principal.id));
  if (wanted === undefined) return allowed;
  const more = wanted.find((id) => !allowed.includes(id));
  if (more === undefined) return wanted;
  throw fieldError('/secret_ids', `: the parent session does not have ${more}.`, { code: 'forbidden' });
}
