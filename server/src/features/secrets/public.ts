import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { matchesHost, targetOf } from '../../lib/hosts.ts';
import { secretsOfSettings } from '../settings/service.ts';
import { open } from './envelope.ts';
import type { SecretExposure, SecretKind, SecretScope } from './schemas.ts';
import {
  creatorOf,
  isOfOthers,
  maxSessionBytes,
  mergedBytes,
  preferred,
  selectionOf,
  type SessionFacts,
} from './selection.ts';
import {
  deleteSessionSecrets,
  gotOwnSecret,
  listSelected,
  listSessionSecrets,
  listUses,
  lockForSecrets,
  mayHaveSecrets,
  noteUses,
  readForSecrets,
  type Selection,
} from './session-store.ts';
import { deleteOwned, readOrganizationSecret, touchSecrets } from './store.ts';

type ValueContext = Pick<Context, 'db' | 'keyRing' | 'clock'>;

/** A secret for a session. `value` must never be shown. */
export interface SessionSecret {
  readonly id: string;
  readonly key: string;
  readonly kind: SecretKind;
  readonly scope: SecretScope | 'session';
  readonly exposure: SecretExposure;
  readonly allowedHosts: readonly string[];
  /** 0 for a session secret. */
  readonly version: number;
  /**
   * The sandboxes that get it. A secret of the creator is for the agent's sandbox alone and takes precedence over others with
   * its key. A secret that another member wrote last does not enter the same sandbox, so it is for checks alone. `none`: the
   * session's work may contain the value, which is only masked.
   */
  readonly sandboxes: 'all' | 'agent' | 'checks' | 'none';
  /** Another member wrote it last. */
  readonly isOfOthers: boolean;
  readonly value: string;
}

/** The origin of the secrets in the agent's sandbox, for as long as it lives: its creator, or another member. */
export type SecretOrigin = 'own' | 'others' | '';

/** Minimum interval between two updates of `used_at`. */
const touchMs = 60_000;

/**
 * Returns the session's current secrets when a turn starts: its own, and of the others those that apply, the nearest for each
 * key. Secrets of the organization that settings refer to, such as a model provider's key, are included only if the session
 * chose them. Records the versions. Secrets of the creator are included only while nobody else sent a message to the session,
 * and never on the `origin` of others; once they are or were included, the agent's sandbox gets none that another member wrote
 * last. Throws 409 `conflict` if they have too many bytes.
 */
export async function secretsForSession(
  ctx: ValueContext,
  run: { readonly id: string; readonly orgId: string },
  origin: SecretOrigin = '',
): Promise<SessionSecret[]> {
  const { id: sessionId, orgId } = run;
  const now = ctx.clock.now();
  // The rest holds the session's row, and many sessions have none.
  if (!(await mayHaveSecrets({ db: ctx.db, orgId, sessionId }))) return [];
  const { own, shared } = await ctx.db.transaction((trx) => pick(trx, run, origin, now));
  const ids = shared.map(({ id }) => id);
  await touchSecrets(ctx.db.kysely, orgId, ids, now, new Date(now.getTime() - touchMs));
  const opened = async (
    row: Omit<(typeof own)[number], 'masked_only'>,
    more: Pick<SessionSecret, 'version' | 'scope' | 'sandboxes' | 'isOfOthers'>,
    purpose: string,
  ): Promise<SessionSecret> => {
    const { id, key, kind, exposure, allowed_hosts: allowedHosts, sealed } = row;
    const { version, scope, sandboxes, isOfOthers: ofOthers } = more;
    const value = (await open(ctx, orgId, purpose, sealed)).toString('utf8');
    return { id, key, kind, scope, exposure, allowedHosts, version, sandboxes, isOfOthers: ofOthers, value };
  };
  const alone = { version: 0, scope: 'session', isOfOthers: false } as const;
  return Promise.all([
    ...own.map((row) =>
      opened(row, { ...alone, sandboxes: row.masked_only ? 'none' : 'all' }, sessionPurpose(sessionId, row.id)),
    ),
    ...shared.map((row) => opened(row, row, secretPurpose(row.id, row.version))),
  ]);
}

/** Selects and records them, while messages to the session are blocked. */
async function pick(
  trx: Transaction<DB>,
  { id: sessionId, orgId }: { readonly id: string; readonly orgId: string },
  origin: SecretOrigin,
  now: Date,
) {
  const session = await lockForSecrets(trx, orgId, sessionId);
  if (session === undefined) return { own: [], shared: [] };
  const own = await listSessionSecrets(trx, orgId, sessionId);
  const given = own.filter((row) => !row.masked_only);
  const selection = origin === 'others' ? { ...selectionOf(session), owner: '' } : selectionOf(session);
  const ofSettings = selection.chosen === undefined ? await secretsOfSettings(trx, orgId) : new Set<string>();
  const creator = creatorOf(session);
  const selected = (await listSelected(trx, orgId, selection)).map((row) => ({
    ...row,
    isOfOthers: isOfOthers(row, creator),
  }));
  const nearest = (rows: typeof selected) =>
    preferred(rows, selection, given).filter(({ scope, key }) => scope !== 'organization' || !ofSettings.has(key));
  const all = nearest(selected);
  const isOwnOrigin = origin === 'own' || all.some(({ scope }) => scope === 'user');
  const agents = isOwnOrigin ? nearest(selected.filter((row) => !row.isOfOthers)) : all;
  const checks = nearest(selected.filter(({ scope }) => scope !== 'user'));
  if (Math.max(mergedBytes([...given, ...agents]), mergedBytes([...given, ...checks])) > maxSessionBytes)
    throw new AppError(
      'conflict',
      `Limit exceeded: a session can have at most ${maxSessionBytes} bytes of secrets. Choose fewer with ` +
        'secret_ids.',
    );
  const shared = [...new Set([...agents, ...checks])].map((row) => ({
    ...row,
    sandboxes: sandboxesOf(row, agents, checks),
  }));
  await noteUses(
    trx,
    shared.map(({ id, version, key, scope, sandboxes }) => ({
      org_id: orgId,
      session_id: sessionId,
      secret_id: id,
      version,
      key,
      scope,
      sandboxes,
      used_at: now,
    })),
  );
  return { own, shared };
}

function sandboxesOf<T>(row: T, agents: readonly T[], checks: readonly T[]): 'all' | 'agent' | 'checks' {
  if (!checks.includes(row)) return 'agent';
  return agents.includes(row) ? 'all' : 'checks';
}

/** Tells if secrets of its creator apply to a session, regardless of what blocks them. */
export async function wouldGetOwnSecrets(
  { db }: Pick<Context, 'db'>,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Promise<boolean> {
  const session = await readForSecrets(db.kysely, orgId, id);
  return session !== undefined && (await hasOwnSecrets(db.kysely, orgId, selectionOf(session)));
}

/** Tells if a session ever got secrets of its creator; its results may contain them. */
export async function gotOwnSecrets({ db }: Pick<Context, 'db'>, sessionId: string): Promise<boolean> {
  return gotOwnSecret(db.kysely, sessionId);
}

async function hasOwnSecrets(db: Kysely<DB>, orgId: string, selection: Selection): Promise<boolean> {
  return (await listSelected(db, orgId, selection)).some(({ scope }) => scope === 'user');
}

/** Lists the secrets that a session got so far and its session secrets: names and versions, never values. */
export async function usesOfSession(ctx: Pick<Context, 'db'>, orgId: string, sessionId: string) {
  const [own, shared] = await Promise.all([
    listSessionSecrets(ctx.db.kysely, orgId, sessionId),
    listUses(ctx.db.kysely, orgId, sessionId),
  ]);
  const given = own.filter((row) => !row.masked_only);
  return [
    ...given.map(({ key, kind, exposure }) => ({
      key,
      version: 0,
      kind,
      exposure,
      scope: 'session' as const,
      sandboxes: 'all' as const,
    })),
    ...shared.map(({ kind, exposure, ...use }) => ({
      ...use,
      kind: kind ?? ('' as const),
      exposure: exposure ?? ('' as const),
    })),
  ];
}

/**
 * Returns the value of the organization's secret with this name for a request to `url`; undefined if it does not exist or is for
 * other hosts.
 */
export async function secretValue(
  ctx: ValueContext,
  orgId: string,
  key: string,
  url: string,
): Promise<string | undefined> {
  const row = await readOrganizationSecret(ctx.db.kysely, orgId, key);
  if (row === undefined || !isFor(row.allowed_hosts, url)) return undefined;
  const now = ctx.clock.now();
  const stale = new Date(now.getTime() - touchMs);
  if (row.last_used_at === null || row.last_used_at < stale)
    await touchSecrets(ctx.db.kysely, orgId, [row.id], now, stale);
  return (await open(ctx, orgId, secretPurpose(row.id, row.version), row.sealed)).toString('utf8');
}

/**
 * Returns the address that a secret holds, of the organization or of an owner (`user:<id>`); undefined if there is none, or if
 * the secret is for other hosts.
 */
export async function secretAddress(
  ctx: ValueContext,
  orgId: string,
  owner: string,
  key: string,
): Promise<string | undefined> {
  const row = await readOrganizationSecret(ctx.db.kysely, orgId, key, owner);
  if (row === undefined) return undefined;
  const now = ctx.clock.now();
  await touchSecrets(ctx.db.kysely, orgId, [row.id], now, new Date(now.getTime() - touchMs));
  const value = (await open(ctx, orgId, secretPurpose(row.id, row.version), row.sealed)).toString('utf8').trim();
  return URL.canParse(value) && isFor(row.allowed_hosts, value) ? value : undefined;
}

/** Checks the host, so that nobody can use a setting to obtain a secret that was stored for other hosts. */
function isFor(allowedHosts: readonly string[], url: string): boolean {
  return allowedHosts.length === 0 || allowedHosts.some((pattern) => matchesHost(pattern, targetOf(new URL(url))));
}

/** The purpose that binds the sealed value of a secret. */
export function secretPurpose(id: string, version: number): string {
  return `secret ${id} ${version}`;
}

/** The purpose that binds the sealed value of a session secret. */
export function sessionPurpose(sessionId: string, id: string): string {
  return `session secret ${sessionId} ${id}`;
}

/**
 * Throws 403 `forbidden` unless this principal may steer a session: a session that got a secret of its creator, or would get one
 * with its next turn, accepts messages, decisions, forks and resumes from its creator alone.
 */
export async function requireSteering(
  trx: Transaction<DB>,
  orgId: string,
  principal: { readonly type: string; readonly id: string },
  steered: Pick<SessionFacts, 'created_by_type' | 'created_by_id'> & { readonly id: string },
): Promise<void> {
  if (creatorOf(steered) === `${principal.type}:${principal.id}`) return;
  const session = await readForSecrets(trx, orgId, steered.id);
  if (session === undefined) return;
  if ((await gotOwnSecret(trx, steered.id)) || (await hasOwnSecrets(trx, orgId, selectionOf(session))))
    throw new AppError('forbidden', 'This session uses secrets of its creator, so only its creator can continue it.');
}

/** Deletes the session secrets of a session that ended without work, from which nothing can go on. */
export async function dropSessionSecrets(trx: Transaction<DB>, sessionId: string): Promise<void> {
  await deleteSessionSecrets(trx, sessionId);
}

/** Deletes the secrets of a principal who left the organization; nobody else could see them. */
export async function deleteSecretsOf(
  trx: Transaction<DB>,
  orgId: string,
  principal: { readonly type: string; readonly id: string },
): Promise<void> {
  await deleteOwned(trx, orgId, `${principal.type}:${principal.id}`);
}
