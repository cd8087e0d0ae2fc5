import { Value } from 'typebox/value';
import type { Static, TSchema } from 'typebox';
import type { Context } from '../../app/context.ts';
import { cancelSession } from '../sessions/api/action-service.ts';
import { createSession } from '../sessions/api/create-service.ts';
import { listSessions } from '../sessions/api/list-service.ts';
import { sendMessage } from '../sessions/api/message-service.ts';
import { getSession } from '../sessions/api/service.ts';
import { lastReply, waitForSession } from '../sessions/api/wait-service.ts';
import {
  CancelSessionInput,
  CreateSessionInput,
  GetSessionInput,
  GetSessionOutput,
  ListSessionsInput,
  ListSessionsOutput,
  OneSession,
  SendMessageInput,
  SendMessageOutput,
  SessionSummary,
} from './schemas.ts';
import { tool, type Tool } from './tool.ts';

type SessionToolContext = Parameters<typeof createSession>[0] &
  Pick<Context, 'notifications' | 'closing' | 'log' | 'jobs'>;

export function sessionTools(ctx: SessionToolContext): Tool[] {
  return [...toolsThatAct(ctx), ...toolsThatRead(ctx)];
}

function toolsThatAct(ctx: SessionToolContext): Tool[] {
  return [
    tool({
      name: 'create_session',
      title: 'Start a session',
      description:
        'Gives a software-engineering task to an agent in a sandbox: it reproduces the problem, writes the change, verifies it and opens a change request. Returns the queued session at once; follow it with get_session and wait_seconds. Name the repositories to work on.',
      scope: 'run',
      effect: 'adds',
      input: CreateSessionInput,
      output: OneSession,
      run: async (caller, input) => ({
        session: read(SessionSummary, await createSession(ctx, caller, { ...input, origin: 'mcp' })),
      }),
      text: ({ session }) => `Started. ${describe(session)}`,
    }),
    tool({
      name: 'send_message',
      title: 'Send a message to a session',
      description:
        'Steers a running session, answers a waiting one, and starts another turn of one that has ended. Works in every state unless the session was canceled.',
      scope: 'run',
      effect: 'adds',
      input: SendMessageInput,
      output: SendMessageOutput,
      async run(caller, { session_id, ...message }) {
        const { id, delivery, state } = await sendMessage(ctx, caller, session_id, message);
        return { message_id: id, session_id, delivery, state };
      },
      text: ({ message_id, session_id, delivery }) => `Sent message ${message_id} to ${session_id} (${delivery}).`,
    }),
    tool({
      name: 'cancel_session',
      title: 'Cancel a session',
      description: 'Ends a session permanently: it cannot be resumed and accepts no more messages.',
      scope: 'run',
      effect: 'ends',
      input: CancelSessionInput,
      output: OneSession,
      run: async (caller, { session_id: id }) => ({
        session: read(SessionSummary, await cancelSession(ctx, caller, id)),
      }),
      text: ({ session }) => describe(session),
    }),
  ];
}

function toolsThatRead(ctx: SessionToolContext): Tool[] {
  return [
    tool({
      name: 'get_session',
      title: 'Get a session',
      description:
        "Returns the state of a session, its agent's last message and its change requests. With wait_seconds it waits until the session has nothing more to do (waiting, suspended, completed, failed or canceled) or the time is over; then call it again.",
      scope: 'sessions:read',
      effect: 'reads',
      input: GetSessionInput,
      output: GetSessionOutput,
      async run(caller, { session_id: id, wait_seconds: seconds = 0 }, { signal, report }) {
        const from = performance.now();
        if (seconds > 0)
          await waitForSession(ctx, caller, id, {
            seconds,
            signal,
            onState: ({ status, status_detail }) =>
              report((performance.now() - from) / 1_000, seconds, stateOf(status, status_detail)),
          });
        const record: unknown = JSON.parse(await getSession(ctx, caller, id));
        const { structured_output } = Object(record);
        return { session: read(SessionSummary, record), reply: await lastReply(ctx, caller, id), structured_output };
      },
      text: ({ session, reply, structured_output: output }) =>
        [
          describe(session),
          ...(output === null ? [] : ['', `Output: ${JSON.stringify(output)}`]),
          ...(reply === '' ? [] : ['', reply]),
        ].join('\n'),
    }),
    tool({
      name: 'list_sessions',
      title: 'List sessions',
      description: "The organization's sessions, newest first, without archived ones. Filters combine with and.",
      scope: 'sessions:read',
      effect: 'reads',
      input: ListSessionsInput,
      output: ListSessionsOutput,
      async run(caller, { first = 20, ...query }) {
        const page = JSON.parse(await listSessions(ctx, caller, { ...query, first }));
        const { items: sessions, ...rest } = Object(page);
        return read(ListSessionsOutput, { sessions, ...rest });
      },
      text: ({ sessions, total, has_next_page, end_cursor }) =>
        [
          `${sessions.length} of ${total} sessions.`,
          ...sessions.map(describe),
          ...(has_next_page ? [`More: after = ${end_cursor}`] : []),
        ].join('\n\n'),
    }),
  ];
}

/** Returns the fields of a shape from a record (JSON text or a value) with more fields. */
function read<T extends TSchema>(shape: T, record: unknown): Static<T> {
  const value: unknown = Value.Clean(shape, typeof record === 'string' ? JSON.parse(record) : record);
  if (!Value.Check(shape, value)) throw new Error('A session does not have the shape that the tools declare.');
  return value;
}

function stateOf(status: string, detail: string): string {
  return detail === '' ? status : `${status} / ${detail}`;
}

function describe(session: SessionSummary): string {
  const { id, url, title, status, status_detail, verification, repositories, change_requests, error } = session;
  return [
    `Session ${id} is ${stateOf(status, status_detail)}: ${title}`,
    ...repositories.map(({ repo, base_ref, branch }) =>
      branch === '' ? `Repository: ${repo} at ${base_ref}` : `Repository: ${repo} at ${base_ref}, work on ${branch}`,
    ),
    ...(verification === '' ? [] : [`Verification: ${verification}`]),
    ...change_requests.map(
      ({ number, state, draft, url: at }) => `Change request ${number} (${draft ? 'draft' : state}): ${at}`,
    ),
    ...(error === null ? [] : [`Error: ${error.code}: ${error.message}`]),
    url,
  ].join('\n');
}
