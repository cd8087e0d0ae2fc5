import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { endOwnSignIn, listOwnSignIns } from '../auth/own-sign-ins-service.ts';
import { OwnSignIn } from '../auth/schemas.ts';

/** Below `/v3`. */
export function ownSignInRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/self/sign-ins',
      id: 'listSignIns',
      summary: 'List your sign-ins',
      description: 'The browsers in which you are signed in, newest first; without expired sign-ins.',
      scope: 'any',
      persons: true,
      personal: true,
      query: ListQuery({}),
      status: 200,
      answer: List(OwnSignIn),
      handle: ({ caller, query }) => listOwnSignIns(ctx, caller, query),
    }),
    route({
      method: 'DELETE',
      path: '/self/sign-ins/:id',
      id: 'endSignIn',
      summary: 'End one of your sign-ins',
      description: 'Takes effect at once, on every process, also for open streams. Keys keep working.',
      scope: 'any',
      persons: true,
      personal: true,
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => endOwnSignIn(ctx, caller, params.id),
    }),
  ];
}
