import { setTimeout as delay } from 'node:timers/promises';
import { unwrap, type Client, type SessionEvent } from '@guildhall/client';
import { persist } from './persist.ts';
import type { Project } from './project.ts';
import type { PlannedMessage, Work } from './work.ts';

const sessions = '/v3/organizations/{orgId}/sessions';

/** A session from its client's view: everything it was shown and promised. */
export interface Followed {
  readonly id: string;
  readonly work: Work;
  readonly project: Project;
  /** Every event of the stream, in the order of arrival. */
  readonly shown: SessionEvent[];
  /** Messages with a 202 response. */
  readonly acknowledged: { id: string; content: string }[];
  /** Requests that the API wrongly refused. */
  readonly refused: string[];
  /** The state in which it ended; `''` while it runs. */
  status: string;
}

export interface FollowOptions {
  /** Called for each event as it arrives. */
  onEvent: (session: Followed, event: SessionEvent) => void;
  signal: AbortSignal;
}

/** Creates a session; resolves when that is acknowledged. */
export async function createFollowed(
  client: Client,
  work: Work,
  project: Project,
  signal: AbortSignal,
): Promise<Followed> {
  const agent = await persist((headers) => unwrap(client.POST('/agents', { body: work.agent, headers })), signal);
  const body = {
    prompt: work.prompt,
    repositories: [{ repo: project.repo }],
    agent_id: agent.id,
    verify_command: work.verifyCommand,
  };
  const { id } = await persist((headers) => unwrap(client.POST(sessions, { body, headers })), signal);
  return { id, work, project, shown: [], acknowledged: [], refused: [], status: '' };
}

/** Follows a session over lost connections, sends the planned messages, and resolves when it has ended. */
export async function followToEnd(client: Client, session: Followed, options: FollowOptions): Promise<void> {
  const { signal, onEvent } = options;
  const ended = new AbortController();
  const waiting = [...session.work.messages];
  let results = 0;
  let sending = 0;
  /** The number of the last event; infinite while the session may continue. */
  let last = Infinity;

  const settle = async (): Promise<void> => {
    if (waiting.length > 0 || sending > 0) return;
    const end = await endOf(client, session.id, signal);
    if (end === undefined) return;
    session.status = end.status;
    last = end.lastSeq;
    if ((session.shown.at(-1)?.seq ?? 0) >= last) ended.abort();
  };
  const send = async (message: PlannedMessage): Promise<void> => {
    sending += 1;
    try {
      await say(client, session, message, signal);
    } catch (error) {
      session.refused.push(`${message.content}: ${String(error)}`);
    }
    sending -= 1;
    // It may have ended before the response arrived, with the message or before it.
    await settle();
  };
  const sent: Promise<void>[] = [];
  for await (const event of client.followSession(session.id, { signal: AbortSignal.any([ended.signal, signal]) })) {
    session.shown.push(event);
    onEvent(session, event);
    if (isResult(event)) results += 1;
    // A failed session gets no more messages.
    if (event.kind === 'status' && event.data.status === 'failed') waiting.length = 0;
    while ((waiting[0]?.afterResults ?? Infinity) <= results) sent.push(...waiting.splice(0, 1).map(send));
    if (event.kind === 'status' || event.seq >= last) await settle();
  }
  await Promise.allSettled(sent);
  signal.throwIfAborted();
}

/**
 * Follows an ended session on to its last event, `lastSeq`: a call whose worker was killed is charged to it when its
 * reservation expires.
 */
export async function followLate(client: Client, session: Followed, lastSeq: number): Promise<void> {
  const afterSeq = session.shown.at(-1)?.seq ?? 0;
  if (afterSeq >= lastSeq) return;
  for await (const event of client.followSession(session.id, { afterSeq, signal: AbortSignal.timeout(30_000) })) {
    session.shown.push(event);
    if (event.seq >= lastSeq) return;
  }
}

/** Returns true for the end of a command or a tool call. */
function isResult(event: SessionEvent): boolean {
  if (event.phase !== 'implement') return false;
  return event.kind === 'tool_result' || (event.kind === 'command' && event.data.exit_code !== null);
}

async function say(client: Client, session: Followed, message: PlannedMessage, signal: AbortSignal): Promise<void> {
  const { content, delivery } = message;
  const params = { path: { id: session.id } };
  const body = { content, delivery };
  const { id } = await persist(
    (headers) => unwrap(client.POST(`${sessions}/{id}/messages`, { params, body, headers })),
    signal,
  );
  session.acknowledged.push({ id, content });
}

/** Returns the final state of a session, asking until the API responds; undefined while it runs. */
async function endOf(client: Client, id: string, signal: AbortSignal) {
  for (;;) {
    try {
      const session = await unwrap(client.GET(`${sessions}/{id}`, { params: { path: { id } } }));
      const isEnded = ['completed', 'failed', 'canceled', 'suspended', 'waiting'].includes(session.status);
      return isEnded ? { status: session.status, lastSeq: session.last_seq } : undefined;
    } catch {
      await delay(200, undefined, { signal });
    }
  }
}
