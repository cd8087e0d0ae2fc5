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
import type { SessionContext } from './service.ts';

type Action = (
  ctx: SessionContext & Pick<Context, 'jobs'>,
  caller: Caller,
  id: string,
) => ReturnType<typeof cancelSession>;

const actions: { name: string; id: string; summary: string; run: Action }[] = [
  {
    name: 'interrupt',
    id: 'interruptSession',
    summary: 'End the current turn; the session then waits',
    run: interruptSession,
  },
  {
    name: 'suspend',
    id: 'suspendSession',
    summary: 'Put a session to rest with a checkpoint',
    run: suspendSession,
  },
  { name: 'resume', id: 'resumeSession', summary: 'Go on with a session that rests or ended', run: resumeSession },
  { name: 'cancel', id: 'cancelSession', summary: 'End a session for good', run: cancelSession },
  { name: 'archive', id: 'archiveSession', summary: 'Put an ended session away', run: archiveSession },
  { name: 'unarchive', id: 'unarchiveSession', summary: 'Bring an archived session back', run: unarchiveSession },
];

/** What already holds answers 200; from any other state 409 `invalid_transition`. */
export function actionRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs'>): Route[] {
  return actions.map(({ name, id, summary, run }) =>
    route({
      method: 'POST',
      path: `/sessions/:id/${name}`,
      id,
      summary,
      scope: 'run',
      params: { id: Id },
      body: Body({}),
      status: 200,
      answer: Session,
      ...(name === 'resume' ? { errors: [402] } : {}),
      handle: async ({ caller, params, reply }) => sendJson(reply, await run(ctx, caller, params.id)),
    }),
  );
}
