import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { createFailureLimiter } from '../../http/rate-limit.ts';
import { route, type Route } from '../../http/route.ts';
import { AnyObject, Id, named, Text } from '../../http/schema.ts';
import { receiveHook } from './hook-service.ts';
import { maxPayloadBytes } from './run-now-service.ts';

const HookAnswer = named(
  'HookAnswer',
  Type.Object({
    accepted: Type.Boolean({ description: 'True if the delivery has a run.' }),
    duplicate: Type.Boolean({ description: 'True if a delivery with this id came before.' }),
    run_id: Type.String({ description: 'The run; "" for none.' }),
    reason: Type.String({ description: 'Why it has none; "" if it has one.' }),
  }),
);

/** Signed requests from outside, without a key. */
export function hookRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'keyRing'>): Route[] {
  const limitFailures = createFailureLimiter('Too many requests without a valid signature. Wait a moment.', () =>
    ctx.clock.now().getTime(),
  );
  return [
    route({
      method: 'POST',
      path: '/hooks/:hookId',
      id: 'receiveHook',
      summary: 'Start an automation by its webhook',
      description:
        'Signed as by Standard Webhooks, with the secret that the automation showed once. `webhook-timestamp` may be five ' +
        'minutes off; another delivery with the same `webhook-id` starts nothing. Without a valid signature 401 ' +
        '`unauthorized`, or 429 `rate_limited` after many from one address. 202 with `accepted: false` for a payload that does not meet the conditions.',
      scope: 'none',
      params: { hookId: Id },
      headers: {
        'webhook-id': Type.Optional(Text(1_000, { description: 'Unique per delivery.' })),
        'webhook-timestamp': Type.Optional(Text(100, { description: 'Seconds since 1970.' })),
        'webhook-signature': Type.Optional(
          Text(2_000, {
            description: '`v1,<Base64>` of the HMAC-SHA256 of `<id>.<timestamp>.<body>`; several separated by spaces.',
          }),
        ),
      },
      body: AnyObject,
      examples: { 'An issue': { action: 'opened', issue: { title: 'Checkout fails' } } },
      bodyLimit: maxPayloadBytes,
      status: 202,
      answer: HookAnswer,
      handle: ({ params, body, request }) =>
        limitFailures(request.ip, () =>
          receiveHook(ctx, {
            hookId: params.hookId,
            id: String(request.headers['webhook-id'] ?? ''),
            timestamp: String(request.headers['webhook-timestamp'] ?? ''),
            signature: String(request.headers['webhook-signature'] ?? ''),
            rawBody: request.rawBody,
            payload: body,
          }),
        ),
    }),
  ];
}
