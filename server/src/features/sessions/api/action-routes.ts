import { withoutReplay, type Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { sendJson } from '../../../http/etags.ts';
import { route, type Route } from '../../../http/route.ts';
import { Body, Id } from '../../../http/schema.ts';
import {
  archiveSession,
  cancelSession,
  interruptSession,
  resumeSession,
  suspendSession,
  unarchiveSession,
} from './action-service.ts';
import { Session } from '../schemas/session-schemas.ts';
import { getSession, type SessionContext } from './service.ts';
import { waitForSession } from './wait-service.ts';

/** Seconds that a response waits for a running session to follow the request, so that it shows the result. */
const effectSeconds = 2;

type Action = (
  ctx: SessionContext & Pick<Context, 'config'>,
  caller: Caller,
  id: string,
) => ReturnType<typeof cancelSession>;

const soon = `A worker usually does this within a second; the response waits up to ${effectSeconds} s for it. If the session is still \`running\` then, a \`status\` event follows.`;

interface DeclaredAction {
  name: string;
  id: string;
  summary: string;
  description: string;
  /** The response waits for a worker. */
  waits?: boolean;
  run: Action;
}

const actions: DeclaredAction[] = [
  {
    name: 'interrupt',
    id: 'interruptSession',
    summary: 'Interrupt a session',
    description: `Ends the current turn; the session then waits for a message. ${soon} A waiting session answers 200; any other state is 409 \`invalid_transition\`.`,
    waits: true,
    run: interruptSession,
  },
  {
    name: 'suspend',
    id: 'suspendSession',
    summary: 'Suspend a session',
    description: `Saves a checkpoint and frees its sandbox. ${soon} A message or \`/resume\` continues it. Only a running or waiting session can be suspended; otherwise 409 \`invalid_transition\`.`,
    waits: true,
    run: suspendSession,
  },
  {
    name: 'resume',
    id: 'resumeSession',
    summary: 'Resume a session',
    description:
      'Queues it without a new message. A queued or running session answers 200. 409 `invalid_transition` if it waits or was canceled, 409 `session_terminal` if it failed before its first checkpoint, 402 `budget_exceeded` if the limit that it reached was not raised or a group has reached its daily limit.',
    run: resumeSession,
  },
  {
    name: 'cancel',
    id: 'cancelSession',
    summary: 'Cancel a session',
    description:
      'Ends it at once and permanently; it cannot be resumed. Pushed branches stay. Repeating it answers 200; a completed or failed session is 409 `invalid_transition`.',
    run: cancelSession,
  },
  {
    name: 'archive',
    id: 'archiveSession',
    summary: 'Archive a session',
    description:
      'Hides it from lists by default. Nothing is deleted, and a message unarchives it. 409 `invalid_transition` unless it is completed, failed or canceled.',
    run: archiveSession,
  },
  {
    name: 'unarchive',
    id: 'unarchiveSession',
    summary: 'Unarchive a session',
    description: 'Its status does not change. A session that is not archived answers 200 too.',
    run: unarchiveSession,
  },
];

/** A state that already holds returns 200; any other state 409 `invalid_transition`. */
export function actionRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'config' | 'notifications' | 'closing' | 'log'>,
): Route[] {
  return actions.map(({ name, id, summary, description, waits, run }) =>
    route({
      method: 'POST',
      path: `/sessions/:id/${name}`,
      id,
      summary,
      description,
      scope: 'run',
      params: { id: Id },
      body: Body({}),
      status: 200,
      answer: Session,
      ...(name === 'resume' ? { errors: [402] } : {}),
      handle: async ({ caller, params, reply }) => {
        if (waits !== true) return sendJson(reply, await run(ctx, caller, params.id));
        // The response, and so that of a repetition, has the session as it is after the wait.
        await run(ctx, withoutReplay(caller), params.id);
        await waitForSession(ctx, caller, params.id, { seconds: effectSeconds, signal: ctx.closing });
        return sendJson(reply, await getSession(ctx, caller, params.id));
      },
    }),
  );
}
