import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { route, sendJson, type Route } from '../../http/route.ts';
import { Body, Id } from '../../http/schema.ts';
import {
  archiveSession,
  cancelSession,
  interruptSession,
  resumeSession,
  suspendSession,
  unarchiveSession,
} from './action-service.ts';
import { Session } from './schemas.ts';
import { getSession, type SessionContext } from './service.ts';
import { waitForSession } from './wait-service.ts';

/** How long what was asked of a session that works is waited for, so that the answer shows it. */
const effectSeconds = 2;

type Action = (
  ctx: SessionContext & Pick<Context, 'jobs'>,
  caller: Caller,
  id: string,
) => ReturnType<typeof cancelSession>;

const soonText = `A worker does it within a second, mostly; the answer waits up to ${effectSeconds} s for that. Should it still be \`running\`, it was asked for, and its \`status\` event follows.`;

const actions: { name: string; id: string; summary: string; run: Action; description?: string }[] = [
  {
    name: 'interrupt',
    id: 'interruptSession',
    summary: 'End the current turn; the session then waits',
    description: soonText,
    run: interruptSession,
  },
  {
    name: 'suspend',
    id: 'suspendSession',
    summary: 'Put a session to rest with a checkpoint',
    description: soonText,
    run: suspendSession,
  },
  { name: 'resume', id: 'resumeSession', summary: 'Go on with a session that rests or ended', run: resumeSession },
  { name: 'cancel', id: 'cancelSession', summary: 'End a session for good', run: cancelSession },
  { name: 'archive', id: 'archiveSession', summary: 'Put an ended session away', run: archiveSession },
  { name: 'unarchive', id: 'unarchiveSession', summary: 'Bring an archived session back', run: unarchiveSession },
];

/** What already holds answers 200; from any other state 409 `invalid_transition`. */
export function actionRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs' | 'notifications' | 'closing' | 'log'>,
): Route[] {
  return actions.map(({ name, id, summary, description, run }) =>
    route({
      method: 'POST',
      path: `/sessions/:id/${name}`,
      id,
      summary,
      ...(description === undefined ? {} : { description }),
      scope: 'run',
      params: { id: Id },
      body: Body({}),
      status: 200,
      answer: Session,
      ...(name === 'resume' ? { errors: [402] } : {}),
      handle: async ({ caller, params, reply }) => {
        const answer = await run(ctx, caller, params.id);
        if (description !== soonText) return sendJson(reply, answer);
        await waitForSession(ctx, caller, params.id, { seconds: effectSeconds, signal: ctx.closing });
        return sendJson(reply, await getSession(ctx, caller, params.id));
      },
    }),
  );
}
