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

interface ApiPolicy {
  readonly dialer: Dialer;
  /** Undefined when the session has no access to the platform's API. */
  readonly api: GatewaySession['api'];
}

/**
 * The paths that are forwarded. The API authorizes each request by the key added here. Paths that need no key (sign-in,
 * invitations, hooks) are not available to sandboxes.
 */
const within = /^\/v3\/(?:self|organizations)(?:\/|$)/;
const requestHeaders = [
  'accept',
  'content-length',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'user-agent',
] as const;

/** Serves `/api/v3/…`: the platform's own API with the session's key, which never enters the sandbox. */
export async function serveApi({ dialer, api }: ApiPolicy, exchange: Exchange, url: URL): Promise<void> {
  const { request, response } = exchange;
  const path = url.pathname.slice('/api'.length);
  if (api === undefined || !within.test(path)) return answerText(response, 404, 'No such path on the gateway.');
  const target = new URL(api.url);
  target.pathname = `${trimEndOf(target.pathname, '/')}${path}`;
  target.search = url.search;
  const body = hasBody(request) ? request : undefined;
  const chunked = body !== undefined && request.headers['content-length'] === undefined;
  try {
    const authorization = await api.authorization();
    const checked = await checkUrl(dialer, target, 'http', { exempt: true });
    const upstream = dialer.request(target, checked, {
      method: request.method ?? 'GET',
      headers: {
        ...pickHeaders(request.headers, requestHeaders),
        ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
        authorization,
      },
    });
    const answer = await sendUpstream(exchange, upstream, body);
    await relay(exchange, answer, { status: answer.statusCode ?? 502, headers: endToEndHeaders(answer.headers) });
  } catch {
    answerFailure(response, undefined, 'The API');
  }
}
