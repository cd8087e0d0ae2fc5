import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { authorityOf, matchesHost, parseAuthority, targetOf, type Target } from '../../lib/hosts.ts';
import { createMask, type Mask } from '../../lib/mask/mask.ts';
import type { CheckedTarget, Dialer } from './dial.ts';
import { checkUrl, EgressRefused } from './dial.ts';
import { networkRefusal } from './egress.ts';
import type { NetworkMode, Refusal } from './egress.ts';
import { answerFailure, answerText, endToEndHeaders, hasBody, relay, sendUpstream, type Exchange } from './forward.ts';
import { decodersOf, maskTransform, printable } from './masked-answer.ts';
import type { BrokerCredential, GatewayEvent } from '../session.ts';

/** The path of brokered hosts below a gateway's base URL. */
export const brokerPath = '/broker/';

/** The credentials that stay outside of a sandbox, and the rules for their use. */
export interface BrokerPolicy {
  readonly dialer: Dialer;
  /** Returns the current credentials; the same array while they are unchanged. */
  credentials(): readonly BrokerCredential[];
  network(): NetworkMode;
  event(event: GatewayEvent): void;
}

/** A request for a host of a credential, with the headers to add. */
interface BrokeredCall {
  readonly url: URL;
  readonly credentials: readonly BrokerCredential[];
  readonly mask: Mask;
  /** True for a git request with a git credential. */
  readonly isGit: boolean;
}

/** Serves `/broker/<host>[:port]/<path>`: `https://<host>[:port]/<path>`, with the credentials for that host. */
export async function serveBroker(policy: BrokerPolicy, exchange: Exchange, url: URL): Promise<void> {
  const [, authority = '', path = '/'] = /^([^/]*)(\/.*)?$/s.exec(url.pathname.slice(brokerPath.length)) ?? [];
  const target = parseAuthority(authority.includes(':') ? authority : `${authority}:443`);
  const outside = target === undefined ? null : URL.parse(`https://${authority}${path}${url.search}`);
  if (target === undefined || outside === null || outside.username !== '') {
    answerText(exchange.response, 400, 'Invalid path. Use /broker/<host>[:port]/<path> of an https URL.');
    return;
  }
  const call = callOf(policy, exchange.request, outside);
  if (call !== undefined) return serveCall(policy, exchange, call);
  const name = authorityOf(target);
  const message = `No credential of this session applies to this request to ${name}.`;
  policy.event({ kind: 'refused', reason: 'host_not_allowed', target: name, message });
  answerText(exchange.response, 403, message, { 'x-guildhall-refused': 'host_not_allowed' });
}

/** Serves a proxied `http:` request if a credential applies to its host; returns false otherwise. */
export async function serveBrokeredHttp(policy: BrokerPolicy, exchange: Exchange, url: URL): Promise<boolean> {
  const call = callOf(policy, exchange.request, url);
  if (call === undefined) return false;
  await serveCall(policy, exchange, call);
  return true;
}

/** Returns undefined when no credential applies: one for git is used for git requests only. */
function callOf(policy: BrokerPolicy, request: IncomingMessage, url: URL): BrokeredCall | undefined {
  const all = policy.credentials();
  const target = targetOf(url);
  const there = all.filter(({ allowedHosts }) => allowedHosts.some((pattern) => matchesHost(pattern, target)));
  const asksGit = isFetch(request, url) || isPush(url);
  const git = there.filter(({ use }) => use === 'git');
  const isGit = asksGit && git.length > 0;
  const credentials = isGit ? git : there.filter(({ use }) => use === 'http');
  return credentials.length === 0 ? undefined : { url, credentials, mask: maskOf(all), isGit };
}

async function serveCall(policy: BrokerPolicy, exchange: Exchange, call: BrokeredCall): Promise<void> {
  const { request, response } = exchange;
  const target = targetOf(call.url);
  const name = authorityOf(target);
  try {
    const refusal = refusalOf(policy.network(), target);
    if (refusal !== undefined) throw new EgressRefused(refusal);
    if (isPush(call.url)) {
      const message = 'Credentials of a session are for fetching. Push to the repositories of the session only.';
      policy.event({ kind: 'refused', reason: 'git_policy', target: name, message });
      answerText(response, 403, message, { 'x-guildhall-refused': 'git_policy' });
      return;
    }
    const checked = await checkUrl(policy.dialer, call.url, call.isGit ? 'git' : 'http');
    const upstream = send(policy.dialer, checked, request, call);
    const answer = await sendUpstream(exchange, upstream, hasBody(request) ? request : undefined);
    if (call.isGit) await relayGit(exchange, answer, name);
    else await relayMasked(exchange, answer, call);
  } catch (error) {
    if (error instanceof EgressRefused)
      policy.event({ kind: 'refused', reason: error.reason, target: name, message: error.message });
    answerFailure(response, error, name);
  }
}

/** Allows the hosts of a credential in every network mode but that of the setup, whose result other sessions share. */
function refusalOf(mode: NetworkMode, target: Target): Refusal | undefined {
  return mode === 'registries' ? networkRefusal(mode, [], target) : networkRefusal('open', [], target);
}

function send(dialer: Dialer, target: CheckedTarget, request: IncomingMessage, call: BrokeredCall) {
  const { url, credentials } = call;
  const added: OutgoingHttpHeaders = {};
  // The first of two values for the same header wins: the nearest secret comes first.
  for (const { header } of credentials) added[header.name] ??= header.value;
  const chunked = hasBody(request) && request.headers['content-length'] === undefined;
  return dialer.request(url, target, {
    method: request.method ?? 'GET',
    headers: {
      ...endToEndHeaders(request.headers),
      ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
      // Compressed responses cannot be masked.
      'accept-encoding': 'identity',
      ...added,
      host: url.host,
      connection: 'close',
    },
  });
}

/**
 * Passes a pack on unchanged. Replaces any other response by a message of the gateway, as its text could contain the
 * credential.
 */
async function relayGit(exchange: Exchange, answer: IncomingMessage, name: string): Promise<void> {
  const status = answer.statusCode ?? 502;
  const type = answer.headers['content-type'] ?? '';
  if (status === 200 && /^application\/x-git-upload-pack-(?:advertisement|result)$/.test(type)) {
    await relay(exchange, answer, {
      status,
      headers: { 'content-type': type, 'cache-control': 'no-cache', ...encodingOf(answer) },
    });
    return;
  }
  answer.resume();
  const passed = status >= 400 && status < 500 && status !== 401;
  answerText(exchange.response, passed ? status : 502, `The git host ${name} responded with status ${status}.`);
}

function encodingOf({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const encoding = headers['content-encoding'];
  return encoding === undefined ? {} : { 'content-encoding': encoding };
}

async function relayMasked(exchange: Exchange, answer: IncomingMessage, call: BrokeredCall): Promise<void> {
  const status = answer.statusCode ?? 502;
  const headers = maskedHeaders(answer, call);
  const isEmpty = exchange.request.method === 'HEAD' || status === 204 || status === 304;
  if (isEmpty) return relay(exchange, answer, { status, headers });
  const decoders = decodersOf(answer.headers['content-encoding']);
  if (decoders === undefined) {
    answer.resume();
    answerText(exchange.response, 502, `The response has an unsupported content encoding.`);
    return undefined;
  }
  delete headers['content-encoding'];
  delete headers['content-length'];
  return relay(exchange, answer, { status, headers }, [...decoders, maskTransform(call.mask)]);
}

function maskedHeaders({ headers }: IncomingMessage, { mask, url, credentials }: BrokeredCall): OutgoingHttpHeaders {
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(endToEndHeaders(headers))) {
    const plain = (text: string): string => printable(mask.text(text));
    passed[name] = Array.isArray(value) ? value.map(plain) : plain(String(value));
  }
  const { location } = headers;
  if (location !== undefined && url.protocol === 'https:')
    passed['location'] = printable(mask.text(leadBack(location, url, credentials)));
  return passed;
}

/**
 * Rewrites a redirect within the credentials' hosts to lead through the gateway; leaves any other as it is, without
 * credentials.
 */
function leadBack(location: string, from: URL, credentials: readonly BrokerCredential[]): string {
  const to = URL.parse(location, from.href);
  if (to === null) return location;
  const target = targetOf(to);
  const stays =
    to.protocol === 'https:' &&
    credentials.some(({ allowedHosts }) => allowedHosts.some((pattern) => matchesHost(pattern, target)));
  return stays ? `${brokerPath}${to.host}${to.pathname}${to.search}${to.hash}` : to.href;
}

const masks = new WeakMap<readonly BrokerCredential[], Mask>();

function maskOf(credentials: readonly BrokerCredential[]): Mask {
  const known = masks.get(credentials);
  if (known !== undefined) return known;
  const mask = createMask(credentials.flatMap(({ values }) => values));
  masks.set(credentials, mask);
  return mask;
}

/** Matches the two requests of a fetch by git's smart HTTP (gitprotocol-http). */
function isFetch({ method }: IncomingMessage, { pathname, searchParams }: URL): boolean {
  if (method === 'POST') return pathname.endsWith('/git-upload-pack');
  return method === 'GET' && pathname.endsWith('/info/refs') && searchParams.get('service') === 'git-upload-pack';
}

/** Matches both requests of a push, also as a host may read them that decodes, normalizes or ignores case. */
function isPush({ pathname, search }: URL): boolean {
  return (
    /[/\\]git-receive-pack(?![\w-]|\.\w)/i.test(decoded(pathname)) ||
    /[?&;]service=git-receive-pack(?![\w-])/i.test(decoded(search))
  );
}

/** Replaces percent-encoded ASCII letters and signs, also of some nested encodings. */
function decoded(text: string): string {
  const once = (encoded: string): string =>
    encoded.replaceAll(/%(?:25)*([2-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
  return once(once(once(text)));
}
