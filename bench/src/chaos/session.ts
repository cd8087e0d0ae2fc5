import { setTimeout as delay } from 'node:timers/promises';
import { unwrap, type Client, type SessionEvent } from '@guildhall/client';
import { persist } from './persist.ts';
import type { Project } from './project.ts';
import type { PlannedMessage, Work } from './work.ts';

const sessions = '/v3/organizations/{orgId}/sessions';

/** A session as its client knows it: everything it was shown and everything it was promised. */
export interface Followed {
  readonly id: string;
  readonly work: Work;
  readonly project: Project;
  /** Every event the stream showed, in the order of arrival. */
  readonly shown: SessionEvent[];
  /** Messages whose 202 arrived. */
  readonly acknowledged: { id: string; content: string }[];
  /** What the API refused of what it should not. */
  readonly refused: string[];
  /** The state it ended in; `''` while it works. */
  status: string;
}

export interface FollowOptions {
  /** Told of each event as it arrives. */
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

/** Follows a session over lost connections, says what is planned, and resolves when it ended and nothing more comes. */
export async function followToEnd(client: Client, session: Followed, options: FollowOptions): Promise<void> {
  const { signal, onEvent } = options;
  const ended = new AbortController();
  const waiting = [...session.work.messages];
  let results = 0;
  let sending = 0;
  /** The last event there will be; unknown while the session may go on. */
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
    // It may have ended before the answer came, with the message or before it.
    await settle();
  };
  const sent: Promise<void>[] = [];
  for await (const event of client.followSession(session.id, { signal: AbortSignal.any([ended.signal, signal]) })) {
    session.shown.push(event);
    onEvent(session, event);
    if (isResult(event)) results += 1;
    // One that failed is told nothing more.
    if (event.kind === 'status' && event.data.status === 'failed') waiting.length = 0;
    while ((waiting[0]?.afterResults ?? Infinity) <= results) sent.push(...waiting.splice(0, 1).map(send));
    if (event.kind === 'status' || event.seq >= last) await settle();
  }
  await Promise.allSettled(sent);
  signal.throwIfAborted();
}

/** Whether an event tells that a command or a tool of the agent ended. */
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

/** The end that a session is at, asked until the API answers; undefined while it works. */
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
