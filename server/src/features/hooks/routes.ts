import { Type } from 'typebox';
import { createFailureLimiter } from '../../http/rate-limit.ts';
import { route, type Route } from '../../http/route.ts';
import { AnyObject, Id, named, Text } from '../../http/schema.ts';
import { maxBodyBytes, receive, type ReceiveContext } from './receive-service.ts';

const HookAnswer = named(
  'HookAnswer',
  Type.Object({
    accepted: Type.Boolean({ description: 'True if the delivery is acted on.' }),
    duplicate: Type.Boolean({ description: 'True if a delivery with this id came before.' }),
    run_id: Type.String({ description: 'The run of an automation; "" for none.' }),
    reason: Type.String({ description: 'Why it is not acted on; "" if it is.' }),
  }),
);

const header = (description: string) => Type.Optional(Text(2_000, { description }));

/** Signed requests from outside, without a key. */
export function hookRoutes(ctx: ReceiveContext): Route[] {
  const limitFailures = createFailureLimiter('Too many requests without a valid signature. Wait a moment.', () =>
    ctx.clock.now().getTime(),
  );
  return [
    route({
      method: 'POST',
      path: '/hooks/:hookId',
      id: 'receiveHook',
      summary: 'Receive a webhook',
      description:
        "The webhook of an automation, or of a git connection. An automation's is signed as by Standard Webhooks, with the secret " +
        'that the automation showed once; `webhook-timestamp` may be five minutes off, the body at most 256 KiB, and `accepted` is ' +
        "false for a payload that does not meet the conditions. A git connection's is signed as its host does, with at most 25 MiB; " +
        '202 means that the delivery is stored. Another delivery with the same id starts nothing. Without a valid signature 401 ' +
        '`unauthorized`, or 429 `rate_limited` after many from one address. 404 `hook_not_found` for an unknown webhook.',
      scope: 'none',
      params: { hookId: Id },
      headers: {
        'webhook-id': header('Unique per delivery.'),
        'webhook-timestamp': header('Seconds since 1970.'),
        'webhook-signature': header(
          '`v1,<Base64>` of the HMAC-SHA256 of `<id>.<timestamp>.<body>`; several separated by spaces.',
        ),
        'x-hub-signature-256': header("GitHub's signature: `sha256=` and the HMAC-SHA256 of the body in hexadecimal."),
        'x-gitlab-token': header("The secret of GitLab's webhook."),
        'x-pagure-signature-256': header("Pagure's signature: the HMAC-SHA256 of the body in hexadecimal."),
      },
      body: AnyObject,
      examples: { 'An issue': { action: 'opened', issue: { title: 'Checkout fails' } } },
      bodyLimit: maxBodyBytes,
      errors: [502],
      status: 202,
      answer: HookAnswer,
      handle: ({ params, request }) => limitFailures(request.ip, () => receive(ctx, params.hookId, request.raw)),
    }),
  ];
}
