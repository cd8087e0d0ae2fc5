import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';
import type { Database } from '../db/pool.ts';
import { AppError } from '../lib/errors.ts';
import {
  claimIdempotencyKey,
  completeIdempotencyKey,
  readIdempotencyKey,
  releaseIdempotencyKey,
  renewIdempotencyKey,
} from './idempotency-store.ts';

interface Hold {
  keyId: string;
  owner: string;
  /** Whether the mutation's transaction stored the answer. */
  completed: boolean;
  renewal: NodeJS.Timeout;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: Hold | undefined;
    /**
     * For a route that takes its body as it comes: holds the request's `Idempotency-Key` once it knows what came
     * (`content` stands for the body). True when it repeated an earlier request, whose answer has been sent.
     */
    beginIdempotent(reply: FastifyReply, content: string): Promise<boolean>;
  }
}

/** Refusals that say nothing about the request itself: the same request may succeed later. */
const passing = new Set([401, 403, 429]);

/**
 * `Idempotency-Key` on every POST. The answer is stored in the mutation's own transaction, so a
 * crash behind the commit replays it instead of doing the work twice; a process that dies before it frees the key
 * after a minute.
 */
export function installIdempotency(app: FastifyInstance, db: Database, secret: Buffer): void {
  app.decorateRequest('idempotency', undefined);
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    content: string,
  ): Promise<FastifyReply | undefined> {
    const header = request.headers['idempotency-key'];
    const caller: AuthenticatedCaller | undefined = request.caller;
    if (request.method !== 'POST' || header === undefined || caller === undefined) return undefined;
    return hold(db, secret, request, reply, { key: String(header), content });
  }
  app.decorateRequest('beginIdempotent', async function (this: FastifyRequest, reply: FastifyReply, content: string) {
    await begin(this, reply, content);
    return reply.sent;
  });
  app.addHook('preHandler', async (request, reply) => {
    const { statuses, multipart } = request.routeOptions.config;
    // Only what `route` declares answers through `onSend`; git takes its reply over. A form is not here yet.
    return statuses === undefined || multipart !== undefined ? undefined : begin(request, reply, request.rawBody);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.idempotency !== undefined) await settle(db, request.idempotency, reply.statusCode, payload);
    return payload;
  });
}

async function hold(
  db: Database,
  secret: Buffer,
  request: FastifyRequest,
  reply: FastifyReply,
  { key: idempotencyKey, content }: { key: string; content: string },
): Promise<FastifyReply | undefined> {
  const keyId = request.caller.credential.id;
  const hmac = createHmac('sha256', secret)
    // A sign-in works in several organizations, and what was answered in one is no answer in another.
    .update(`${request.caller.organization.id} ${request.method} ${request.url}\n${content}`)
    .digest('hex');
  if (!(await claimIdempotencyKey(db, { keyId, idempotencyKey, hmac, owner: request.id })))
    return replay(db, keyId, idempotencyKey, hmac, reply);
  const held: Hold = {
    keyId,
    owner: request.id,
    completed: false,
    renewal: setInterval(() => void renewIdempotencyKey(db, keyId, request.id).catch(() => undefined), 20_000).unref(),
  };
  request.idempotency = held;
  request.caller.request.complete = async (trx, answer) => {
    const status = reply.statusCode;
    const stored = await completeIdempotencyKey(trx, {
      keyId,
      owner: request.id,
      status,
      body: typeof answer === 'string' ? answer : JSON.stringify(answer ?? null),
    });
    if (!stored) throw new AppError('idempotency_in_progress', 'Another request with this Idempotency-Key took over.');
    held.completed = true;
  };
  return undefined;
}

async function replay(
  db: Database,
  keyId: string,
  idempotencyKey: string,
  hmac: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const record = await readIdempotencyKey(db, keyId, idempotencyKey);
  if (record !== undefined && record.request_hmac !== hmac)
    throw new AppError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
  if (record?.status === undefined || record.status === null)
    throw new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key still runs.');
  const first = requestIdOf(record.body);
  // A stored refusal names the request that it refused, and the header always agrees with the body.
  if (first !== undefined) reply.header('x-request-id', first);
  return reply.code(record.status).header('idempotent-replayed', 'true').send(record.body);
}

function requestIdOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'request_id' in body && typeof body.request_id === 'string'
    ? body.request_id
    : undefined;
}

async function settle(db: Database, held: Hold, status: number, payload: unknown): Promise<void> {
  clearInterval(held.renewal);
  const lasting = status < 500 && !passing.has(status);
  if (lasting && !held.completed && typeof payload === 'string')
    await completeIdempotencyKey(db.kysely, { keyId: held.keyId, owner: held.owner, status, body: payload });
  // A rolled back transaction took its stored answer with it, so a failure always frees the key.
  else if (!lasting) await releaseIdempotencyKey(db, held.keyId, held.owner);
}
