import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { recordSystemAct } from '../../../mutation/mutate.ts';
import { requireSteering } from '../../secrets/public.ts';
import { messageSent } from '../schemas/event-schemas.ts';
import type { MessageSource } from '../schemas/message-schemas.ts';
import { lastSeq, readAnswer, readFollowed } from '../store/follow-store.ts';
import { insertMessage } from '../store/message-store.ts';
import { appendEvents } from '../store/log-store.ts';
import { lockSession, updateSessionRow } from '../store/session-store.ts';
import { bySystem, moveSession } from '../store/transition-store.ts';
import { isActive } from '../store/transitions.ts';
import { continueSession } from './message-service.ts';

export { readAnswer, readFollowed };

/** The type and id of who wrote a message: a principal, or an account of a git host as `github:login`. */
export interface Writer {
  readonly type: 'user' | 'service_user' | 'app' | 'session' | 'system' | 'provider';
  readonly id: string;
  readonly name: string;
}

export async function sessionExists(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  return (await readFollowed(trx, orgId, id)) !== undefined;
}

/** Returns what following needs to know of a session; undefined if it does not exist. */
export async function followedSession(ctx: Pick<Context, 'db'>, orgId: string, id: string) {
  return readFollowed(ctx.db.kysely, orgId, id);
}

export interface HostMessage {
  /** The same key sends the same message once. */
  id: string;
  content: string;
  source: MessageSource;
  writer: Writer;
  /** Everyone else whose words it has. */
  quoted: readonly Writer[];
  /** The branch that the turn begins on, where it is not what the session left, or merges another one. */
  start?: { repositoryId: string; commit: string; merge: string } | undefined;
}

/**
 * Sends a session what a git host says, and wakes it. Throws 403 `forbidden` for a session with secrets of its creator, 404
 * `session_not_found`, 409 `session_terminal`, 402 `budget_exceeded`.
 */
export async function sendFromHost(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'baseUrl'>,
  trx: Transaction<DB>,
  organization: Actor['organization'],
  sessionId: string,
  { id, content, source, writer, quoted, start }: HostMessage,
): Promise<void> {
  const session = await lockSession(trx, organization.id, sessionId);
  if (session === undefined) throw new AppError('session_terminal', 'The session was deleted.');
  for (const one of [writer, ...quoted]) await requireSteering(trx, organization.id, one, session);
  const now = ctx.clock.now();
  const row = await insertMessage(trx, {
    id,
    org_id: organization.id,
    session_id: sessionId,
    role: 'user',
    content,
    delivery: 'steer',
    created_by_type: writer.type,
    created_by_id: writer.id,
    source: JSON.stringify(source),
    created_at: now,
  });
  await appendEvents(trx, sessionId, null, [messageSent(row, writer)]);
  // Guildhall itself continues the session, whoever wrote.
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const isCold = start !== undefined && (await beginOn(trx, session, start));
  await continueSession(ctx, trx, { organization, principal }, isCold ? { ...session, held: false } : session);
  await recordSystemAct(
    trx,
    organization.id,
    'Follow',
    {
      action: 'session.message',
      resource: { type: 'session', id: sessionId },
      changes: { message_id: id, delivery: 'steer', source: source.kind },
    },
    now,
  );
}

/** Lets the next turn begin on a branch as its host has it, in a new sandbox. Returns false for a session that works already. */
async function beginOn(
  trx: Transaction<DB>,
  session: NonNullable<Awaited<ReturnType<typeof lockSession>>>,
  { repositoryId, commit, merge }: NonNullable<HostMessage['start']>,
): Promise<boolean> {
  const { id, status, held, repositories } = session;
  if (isActive(status)) return false;
  if (held && (status === 'completed' || status === 'waiting'))
    await moveSession(trx, session, { event: 'release', by: bySystem });
  const seq = await lastSeq(trx, id);
  const changed = repositories.map((repository) =>
    repository.repository_id === repositoryId
      ? { ...repository, delivered_commit: commit, start: { commit, merge, seq } }
      : repository,
  );
  await updateSessionRow(trx, id, { repositories: JSON.stringify(changed) });
  return true;
}

/** Archives a session whose change request ended, if it has ended itself. */
export async function archiveFollowed(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  orgId: string,
  sessionId: string,
): Promise<void> {
  const session = await lockSession(trx, orgId, sessionId);
  if (session === undefined || session.archived) return;
  if (!['completed', 'failed', 'canceled'].includes(session.status)) return;
  const now = ctx.clock.now();
  await updateSessionRow(trx, sessionId, { archived: true, updated_at: now });
  const resource = { type: 'session', id: sessionId };
  await recordSystemAct(trx, orgId, 'Follow', { action: 'session.archive', resource }, now);
}
