import type { IncomingMessage } from 'node:http';
import type { Context } from '../../app/context.ts';
import { parseBody } from '../../http/body.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { createTurns } from '../../lib/turns.ts';
import { hookExists, maxPayloadBytes, receiveHook } from '../automations/public.ts';
import { connectionOfHook } from '../git-connections/public.ts';
import { acceptDelivery, type AcceptContext } from './accept-service.ts';
import { declaredBytes, readBody } from './body.ts';

export type ReceiveContext = AcceptContext & Pick<Context, 'keyRing'>;

/** Of a git host's delivery; GitHub's limit. */
export const maxBodyBytes = 25 * 1024 ** 2;
const smallBytes = 256 * 1024;

const turnsOf = (limits: { each: number; total: number; waiting: number }) =>
  createTurns('deliveries', { whose: 'to this webhook', ...limits, maxWaitMs: 20_000 });
/** Limits the bodies in memory. */
const smallTurns = turnsOf({ each: 32, total: 128, waiting: 128 });
/** Limits those of more than 256 KiB, or of unknown size, which are rare. */
const largeTurns = turnsOf({ each: 2, total: 4, waiting: 16 });

/** The headers of which a signed request has one. */
const signatures = ['webhook-signature', 'x-hub-signature-256', 'x-gitlab-token', 'x-pagure-signature-256'];

/**
 * Receives a request to a webhook. Throws 404 `hook_not_found`, 401 `unauthorized` without a valid signature, 413
 * `payload_too_large`, and 400 for what is not a JSON object.
 */
export async function receive(ctx: ReceiveContext, hookId: string, request: IncomingMessage) {
  const isAutomation = await hookExists(ctx.db.kysely, hookId);
  const connection = isAutomation ? undefined : await connectionOfHook(ctx.db.kysely, hookId);
  if (!isAutomation && connection === undefined)
    throw new AppError('hook_not_found', 'No webhook has this URL. Copy it from the automation or the git connection.');
  const headers = headersOf(request);
  if (!signatures.some((name) => headers[name] !== undefined))
    throw new AppError('unauthorized', `Sign the request: send ${signatures.join(', or ')}.`);
  const size = declaredBytes(request);
  const turns = size !== undefined && size <= smallBytes ? smallTurns : largeTurns;
  return turns.run(hookId, async () => {
    if (connection !== undefined)
      return acceptDelivery(ctx, hookId, connection, { headers, body: await readBody(request, maxBodyBytes) });
    const body = await readBody(request, maxPayloadBytes);
    return receiveHook(ctx, {
      hookId,
      id: headers['webhook-id'] ?? '',
      timestamp: headers['webhook-timestamp'] ?? '',
      signature: headers['webhook-signature'] ?? '',
      rawBody: body.toString('utf8'),
      payload: objectIn(body),
    });
  });
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function objectIn(body: Buffer): Record<string, unknown> {
  const value = parseBody(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fieldError('', 'must be an object.');
  return { ...value };
}
