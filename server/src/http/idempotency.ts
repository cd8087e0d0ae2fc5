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
  /** True when the mutation's transaction stored the response. */
  completed: boolean;
  renewal: NodeJS.Timeout;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: Hold | undefined;
    /**
     * Applies the request's `Idempotency-Key` in a route that streams its body; `content` represents the body. Returns true
     * when it replayed an earlier response.
     */
    beginIdempotent(reply: FastifyReply, content: string): Promise<boolean>;
  }
}

/** Refusals that do not depend on the request itself: it may succeed later. */
const passing = new Set([401, 403, 429]);

/** Returns true if a repetition gets the stored response of this status. */
export function isStored(status: number): boolean {
  return status < 500 && !passing.has(status);
}

/**
 * Implements `Idempotency-Key` for every POST. Stores the response in the mutation's transaction, so a crash after the commit
 * replays it instead of repeating the work. A process that dies earlier frees the key after a minute.
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
    // Only routes declared by `route` pass `onSend`; git hijacks its reply. A form has not been read yet.
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
    // A sign-in works in several organizations, whose responses must not be mixed.
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
    if (!stored)
      throw new AppError('idempotency_in_progress', 'Another request with this Idempotency-Key took over. Retry.');
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
    throw new AppError(
      'idempotency_conflict',
      'This Idempotency-Key was used with a different request. Use a new key.',
    );
  if (record?.status === undefined || record.status === null)
    throw new AppError(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still running. Retry later.',
    );
  const first = requestIdOf(record.body);
  // A replayed error has the request id of the original request, and header and body must agree.
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
  const lasting = isStored(status);
  // A response without a body, such as 204, has no payload; a stream is not stored.
  const body = typeof payload === 'string' ? payload : 'null';
  if (lasting && !held.completed && (typeof payload === 'string' || payload === undefined || payload === null))
    await completeIdempotencyKey(db.kysely, { keyId: held.keyId, owner: held.owner, status, body });
  // A rollback removes the stored response, so a failure always frees the key.
  else if (!lasting) await releaseIdempotencyKey(db, held.keyId, held.owner);
}
