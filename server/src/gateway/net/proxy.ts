import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { serveBrokeredHttp, type BrokerPolicy } from './broker.ts';
import type { Dialer } from './dial.ts';
import { EgressRefused } from './dial.ts';
import { networkRefusal } from './egress.ts';
import type { EgressPurpose, NetworkMode, Refusal } from './egress.ts';
import {
  answerFailure,
  endToEndHeaders,
  hasBody,
  idleTimeoutMs,
  relay,
  sendUpstream,
  type Exchange,
} from './forward.ts';
import { messageOf } from '../../lib/errors.ts';
import { authorityOf, parseAuthority, targetOf, type Target } from '../../lib/hosts.ts';

/** The rules of a forward proxy. */
export interface ProxyPolicy {
  readonly dialer: Dialer;
  readonly broker: BrokerPolicy;
  readonly purpose: EgressPurpose;
  network(): { readonly mode: NetworkMode; readonly allowedHosts: readonly string[] };
  refused(refusal: Refusal, target: string): void;
}

/** Serves a request in absolute form (`GET http://host/path`). */
export async function proxyRequest(policy: ProxyPolicy, exchange: Exchange, url: URL): Promise<void> {
  const { request, response } = exchange;
  const target = targetOf(url);
  const name = authorityOf(target);
  try {
    if (url.protocol !== 'http:')
      throw invalidTarget('Only http: URLs are forwarded in absolute form. Use CONNECT for TLS.');
    if (url.username !== '' || url.password !== '')
      throw invalidTarget('A forwarded URL must not contain credentials. Send them in a header.');
    if (await serveBrokeredHttp(policy.broker, exchange, url)) return;
    const checked = await checkTarget(policy, target);
    const body = hasBody(request);
    const upstream = policy.dialer.request(url, checked, {
      method: request.method ?? 'GET',
      headers: {
        ...endToEndHeaders(request.headers),
        ...(body && request.headers['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {}),
        host: url.host,
        connection: 'close',
      },
    });
    const answer = await sendUpstream(exchange, upstream, body ? request : undefined);
    await relay(exchange, answer, { status: answer.statusCode ?? 502, headers: endToEndHeaders(answer.headers) });
  } catch (error) {
    if (error instanceof EgressRefused) policy.refused({ reason: error.reason, message: error.message }, name);
    answerFailure(response, error, name);
  }
}

/** Serves a CONNECT request: checks the target, then forwards bytes both ways. Sends an HTTP response when it refuses. */
export async function proxyTunnel(
  policy: ProxyPolicy,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  client.on('error', () => client.destroy());
  const authority = request.url ?? '';
  const target = parseAuthority(authority);
  try {
    if (target === undefined) throw invalidTarget('The target of CONNECT must be host:port.');
    const checked = await checkTarget(policy, target);
    if (client.destroyed) return;
    const upstream = await policy.dialer.connect(checked);
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    upstream.setTimeout(idleTimeoutMs, () => upstream.destroy());
    join(client, upstream);
  } catch (error) {
    const refusal = error instanceof EgressRefused ? { reason: error.reason, message: error.message } : undefined;
    if (refusal !== undefined) policy.refused(refusal, authority.slice(0, 300));
    endTunnel(client, refusal === undefined ? 502 : 403, messageOf(error), refusal?.reason);
  }
}

function invalidTarget(message: string): EgressRefused {
  return new EgressRefused({ reason: 'invalid_target', message });
}

async function checkTarget(policy: ProxyPolicy, target: Target) {
  const { mode, allowedHosts } = policy.network();
  const refusal = networkRefusal(mode, allowedHosts, target);
  if (refusal !== undefined) throw new EgressRefused(refusal);
  return policy.dialer.check(target, policy.purpose);
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.once('error', () => to.destroy());
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }
}

function endTunnel(client: Duplex, status: number, message: string, reason: string | undefined): void {
  const body = `${message}\n`;
  client.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...(reason === undefined ? [] : [`x-guildhall-refused: ${reason}`]),
      'content-type: text/plain; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
