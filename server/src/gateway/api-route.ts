import { Readable } from 'node:stream';
import { BodyRefused, maskedApiBody, readApiBody } from './api-body.ts';
import type { MessageMemory } from './message-memory.ts';
import { checkUrl, type Dialer } from './net/dial.ts';
import {
  answerFailure,
  answerText,
  endToEndHeaders,
  hasBody,
  pickHeaders,
  relay,
  sendUpstream,
} from './net/forward.ts';
import type { Exchange } from './net/forward.ts';
import type { GatewaySession } from './session.ts';
import { trimEndOf } from '../lib/trim.ts';

export interface ApiPolicy {
  readonly dialer: Dialer;
  /** Undefined when the session has no access to the platform's API. */
  readonly api: GatewaySession['api'];
  /** Masks the texts of requests. */
  readonly mask: GatewaySession['mask'];
  /** For bodies, until the response begins. */
  readonly memory: MessageMemory;
}

/**
 * The paths that are forwarded. The API authorizes each request by the key added here. Paths that need no key (sign-in,
 * invitations, hooks) are not available to sandboxes.
 */
const within = /^\/v3\/(?:self|organizations)(?:\/|$)/;
const requestHeaders = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'user-agent'] as const;

/** Serves `/api/v3/…`: the platform's own API with the session's key, which never enters the sandbox. */
export async function serveApi({ dialer, api, mask, memory }: ApiPolicy, exchange: Exchange, url: URL): Promise<void> {
  const { request, response } = exchange;
  const path = url.pathname.slice('/api'.length);
  if (api === undefined || !within.test(path)) return answerText(response, 404, 'No such path on the gateway.');
  const target = new URL(api.url);
  target.pathname = `${trimEndOf(target.pathname, '/')}${path}`;
  target.search = url.search;
  const held = memory.allocate();
  try {
    const sent = hasBody(request) ? await readApiBody(request, held) : undefined;
    const body = sent === undefined || mask === undefined ? sent : await maskedApiBody(sent, mask());
    const authorization = await api.authorization();
    const checked = await checkUrl(dialer, target, 'http', { exempt: true });
    const upstream = dialer.request(target, checked, {
      method: request.method ?? 'GET',
      headers: {
        ...pickHeaders(request.headers, requestHeaders),
        ...(body === undefined ? {} : { 'content-length': body.length }),
        authorization,
      },
    });
    const answer = await sendUpstream(exchange, upstream, body === undefined ? undefined : Readable.from([body]));
    held.release();
    await relay(exchange, answer, { status: answer.statusCode ?? 502, headers: endToEndHeaders(answer.headers) });
  } catch (error) {
    if (error instanceof BodyRefused) answerText(response, error.status, error.message);
    else answerFailure(response, undefined, 'The API');
  } finally {
    held.release();
  }
}
