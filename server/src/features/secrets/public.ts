import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { matchesHost, targetOf } from '../../lib/hosts.ts';
import { secretsOfSettings } from '../settings/service.ts';
import { open } from './envelope.ts';
import type { SecretExposure, SecretKind, SecretScope } from './schemas.ts';
import { creatorOf, isOfOthers, maxSessionBytes, mergedBytes, preferred, selectionOf } from './selection.ts';
import {
  deleteSessionSecrets,
  gotOwnSecret,
  listSelected,
  listSessionSecrets,
  listUses,
  lockForSecrets,
  noteUses,
  readForSecrets,
  type Selection,
} from './session-store.ts';
import { deleteOwned, readOrganizationSecret, touchSecrets } from './store.ts';

type ValueContext = Pick<Context, 'db' | 'keyRing' | 'clock'>;

/** A secret as a session gets it. `value` is what nothing may ever show. */
export interface SessionSecret {
  readonly id: string;
  readonly key: string;
  readonly kind: SecretKind;
  readonly scope: SecretScope | 'session';
  readonly exposure: SecretExposure;
  readonly allowedHosts: readonly string[];
  /** 0 for one that the session alone has. */
  readonly version: number;
  /**
   * Which of its sandboxes get it: what is its creator's own is for the agent's alone, and goes before another of its key
   * there; what another member wrote last is not beside it, and so where checks run alone.
   */
  readonly sandboxes: 'all' | 'agent' | 'checks';
  /** Another member wrote it last. */
  readonly isOfOthers: boolean;
  readonly value: string;
}

/** What is in a session's agent's sandbox for as long as it lasts: its creator's own, or what another member wrote. */
export type Ground = 'own' | 'others' | '';

/** How seldom it is noted that a secret was used. */
const touchMs = 60_000;

/**
 * The secrets of a session as they are now, for a turn that starts: its own, and of the others those that apply, the
 * nearest for each key; those of the organization that its settings use, as the key of a model provider, only when the
 * session chose them. Notes which versions it got. Secrets of its creator are among them only while nobody else has
 * spoken to it, and never on the `ground` of others; where they are among them, or were, the agent's sandbox has none that
 * another member wrote last. Throws 409 `conflict` when they are too many bytes.
 */
export async function secretsForSession(
  ctx: ValueContext,
  run: { readonly id: string; readonly orgId: string },
  ground: Ground = '',
): Promise<SessionSecret[]> {
  const { id: sessionId, orgId } = run;
  const now = ctx.clock.now();
  const { own, shared } = await ctx.db.transaction((trx) => pick(trx, run, ground, now));
  const ids = shared.map(({ id }) => id);
  await touchSecrets(ctx.db.kysely, orgId, ids, now, new Date(now.getTime() - touchMs));
  const opened = async (
    row: (typeof own)[number],
    more: Pick<SessionSecret, 'version' | 'scope' | 'sandboxes' | 'isOfOthers'>,
    purpose: string,
  ): Promise<SessionSecret> => {
    const { id, key, kind, exposure, allowed_hosts: allowedHosts, sealed } = row;
    const { version, scope, sandboxes, isOfOthers: ofOthers } = more;
    const value = (await open(ctx, orgId, purpose, sealed)).toString('utf8');
    return { id, key, kind, scope, exposure, allowedHosts, version, sandboxes, isOfOthers: ofOthers, value };
  };
  const alone = { version: 0, scope: 'session', sandboxes: 'all', isOfOthers: false } as const;
  return Promise.all([
    ...own.map((row) => opened(row, alone, sessionPurpose(sessionId, row.id))),
    ...shared.map((row) => opened(row, row, secretPurpose(row.id, row.version))),
  ]);
}

/** Decides which they are, and notes it, while nobody else speaks to the session. */
async function pick(
  trx: Transaction<DB>,
  { id: sessionId, orgId }: { readonly id: string; readonly orgId: string },
  ground: Ground,
  now: Date,
) {
  const session = await lockForSecrets(trx, orgId, sessionId);
  if (session === undefined) return { own: [], shared: [] };
  const own = await listSessionSecrets(trx, orgId, sessionId);
  const selection = ground === 'others' ? { ...selectionOf(session), owner: '' } : selectionOf(session);
  const ofSettings = selection.chosen === undefined ? await secretsOfSettings(trx, orgId) : new Set<string>();
  const creator = creatorOf(session);
  const selected = (await listSelected(trx, orgId, selection)).map((row) => ({
    ...row,
    isOfOthers: isOfOthers(row, creator),
  }));
  const nearest = (rows: typeof selected) =>
    preferred(rows, selection, own).filter(({ scope, key }) => scope !== 'organization' || !ofSettings.has(key));
  const all = nearest(selected);
  const isOwnGround = ground === 'own' || all.some(({ scope }) => scope === 'user');
  const agents = isOwnGround ? nearest(selected.filter((row) => !row.isOfOthers)) : all;
  const checks = nearest(selected.filter(({ scope }) => scope !== 'user'));
  if (Math.max(mergedBytes([...own, ...agents]), mergedBytes([...own, ...checks])) > maxSessionBytes)
    throw new AppError(
      'conflict',
      `The secrets of the session are more than ${maxSessionBytes} bytes; choose among them with secret_ids.`,
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

function sandboxesOf<T>(row: T, agents: readonly T[], checks: readonly T[]): SessionSecret['sandboxes'] {
  if (!checks.includes(row)) return 'agent';
  return agents.includes(row) ? 'all' : 'checks';
}

/** Whether a session would get secrets of its creator's own if nothing kept them out. */
export async function wouldGetOwn(
  { db }: Pick<Context, 'db'>,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Promise<boolean> {
  const session = await readForSecrets(db.kysely, orgId, id);
  return session !== undefined && (await appliesOwn(db.kysely, orgId, selectionOf(session)));
}

/** Whether a session ever got secrets of its creator's own: what it made since may hold them. */
export async function gotOwn({ db }: Pick<Context, 'db'>, sessionId: string): Promise<boolean> {
  return gotOwnSecret(db.kysely, sessionId);
}

async function appliesOwn(db: Kysely<DB>, orgId: string, selection: Selection): Promise<boolean> {
  return (await listSelected(db, orgId, selection)).some(({ scope }) => scope === 'user');
}

/** Which secrets a session got so far, and those that it alone has: names and versions, never a value. */
export async function usesOfSession(ctx: Pick<Context, 'db'>, orgId: string, sessionId: string) {
  const [own, shared] = await Promise.all([
    listSessionSecrets(ctx.db.kysely, orgId, sessionId),
    listUses(ctx.db.kysely, orgId, sessionId),
  ]);
  return [
    ...own.map(({ key, kind, exposure }) => ({
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
 * The value of the organization's own secret of this name, for a request to `url`; undefined when there is none, or when
 * it is for other hosts.
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

/** Whoever may change settings does not learn by them what was stored for certain hosts alone. */
function isFor(allowedHosts: readonly string[], url: string): boolean {
  return allowedHosts.length === 0 || allowedHosts.some((pattern) => matchesHost(pattern, targetOf(new URL(url))));
}

/** What the sealed value of a secret is bound to. */
export function secretPurpose(id: string, version: number): string {
  return `secret ${id} ${version}`;
}

/** The same for one that a session alone has. */
export function sessionPurpose(sessionId: string, id: string): string {
  return `session secret ${sessionId} ${id}`;
}

/**
 * Throws 403 `forbidden` unless this principal may steer a session: one that got a secret of its creator's own, or would
 * get one with its next turn, takes words, decisions, forks and resumes from its creator alone.
 */
export async function requireSteering(
  trx: Transaction<DB>,
  orgId: string,
  principal: { readonly type: string; readonly id: string },
  sessionId: string,
): Promise<void> {
  const session = await readForSecrets(trx, orgId, sessionId);
  if (session === undefined || creatorOf(session) === `${principal.type}:${principal.id}`) return;
  const selection = selectionOf(session);
  if ((await gotOwnSecret(trx, sessionId)) || (await appliesOwn(trx, orgId, selection)))
    throw new AppError('forbidden', 'The session works with secrets of its creator, who alone may go on with it.');
}

/** Drops what a session alone has: it ended for good. */
export async function dropSessionSecrets(trx: Transaction<DB>, sessionId: string): Promise<void> {
  await deleteSessionSecrets(trx, sessionId);
}

/** Deletes the secrets of somebody who left the organization: nobody else could see them. */
export async function forgetOwner(
  trx: Transaction<DB>,
  orgId: string,
  principal: { readonly type: string; readonly id: string },
): Promise<void> {
  await deleteOwned(trx, orgId, `${principal.type}:${principal.id}`);
}
