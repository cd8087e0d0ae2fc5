import type { Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { route, sendJson, type Route } from '../../../http/route.ts';
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

/** How long what was asked of a session that works is waited for, so that the answer shows it. */
const effectSeconds = 2;

type Action = (
  ctx: SessionContext & Pick<Context, 'jobs' | 'config'>,
  caller: Caller,
  id: string,
) => ReturnType<typeof cancelSession>;

const soon = `A worker does it within a second, mostly; the answer waits up to ${effectSeconds} s for that. Should it still be \`running\`, it was asked for, and its \`status\` event follows.`;

interface DeclaredAction {
  name: string;
  id: string;
  summary: string;
  description: string;
  /** The answer waits for a worker to do it. */
  waits?: boolean;
  run: Action;
}

const actions: DeclaredAction[] = [
  {
    name: 'interrupt',
    id: 'interruptSession',
    summary: 'Interrupt a session',
    description: `${soon} One that waits already answers 200; any other state is 409 \`invalid_transition\`.`,
    waits: true,
    run: interruptSession,
  },
  {
    name: 'suspend',
    id: 'suspendSession',
    summary: 'Suspend a session',
    description: `${soon} A message or \`/resume\` goes on with it. Only one that runs or waits can be suspended (409 \`invalid_transition\`).`,
    waits: true,
    run: suspendSession,
  },
  {
    name: 'resume',
    id: 'resumeSession',
    summary: 'Resume a session',
    description:
      'It is queued, with nothing new said to it. One that is queued or runs already answers 200; one that waits, or was canceled, is 409 `invalid_transition`, and one that failed before its first checkpoint 409 `session_terminal`. 402 `budget_exceeded` while the limit that it reached is as it was, or where a group has used up its day.',
    run: resumeSession,
  },
  {
    name: 'cancel',
    id: 'cancelSession',
    summary: 'Cancel a session',
    description:
      'Holds at once, and nothing goes on with it later; what it pushed stays. A second time answers 200; one that completed or failed is 409 `invalid_transition`.',
    run: cancelSession,
  },
  {
    name: 'archive',
    id: 'archiveSession',
    summary: 'Archive a session',
    description:
      'Lists leave it out unless asked; nothing of it is deleted, and a message brings it back. 409 `invalid_transition` unless it completed, failed or was canceled.',
    run: archiveSession,
  },
  {
    name: 'unarchive',
    id: 'unarchiveSession',
    summary: 'Unarchive a session',
    description: 'Its state does not change; one that is not archived answers 200 too.',
    run: unarchiveSession,
  },
];

/** What already holds answers 200; from any other state 409 `invalid_transition`. */
export function actionRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs' | 'config' | 'notifications' | 'closing' | 'log'>,
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
        const answer = await run(ctx, caller, params.id);
        if (waits !== true) return sendJson(reply, answer);
        await waitForSession(ctx, caller, params.id, { seconds: effectSeconds, signal: ctx.closing });
        return sendJson(reply, await getSession(ctx, caller, params.id));
      },
    }),
  );
}
