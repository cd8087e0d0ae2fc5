import { lookup as systemLookup } from 'node:dns/promises';
import { request as httpRequest, type Agent, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { EgressRule } from '../../config/config.ts';
import { authorityOf, targetOf, type Target } from '../../lib/hosts.ts';
import { classifyAddress, mayDial, plainAddress } from './egress.ts';
import type { EgressPurpose, Refusal } from './egress.ts';
import { keepLookups, type Address, type Lookup } from './kept-lookup.ts';

export type { Address, Lookup };

/** A resolved target with the addresses that may be dialled; at least one. */
export interface CheckedTarget extends Target {
  readonly addresses: readonly Address[];
}

/** The policy does not allow the target. */
export class EgressRefused extends Error {
  readonly reason: Refusal['reason'];

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'EgressRefused';
    this.reason = refusal.reason;
  }
}

/** The target could not be reached; the message names host and port only. */
export class DialError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DialError';
  }
}

export interface UpstreamOptions {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Keeps connections alive and holds the trusted certificates; without it every request opens a connection. */
  readonly agent?: Agent;
}

export interface CheckOptions {
  /** The operator configured this endpoint, so its address is not checked. */
  readonly exempt?: boolean;
  /** No sandbox chooses this name, so its addresses may be those of half a minute ago. Default: `exempt`. */
  readonly isCommon?: boolean;
}

/** Resolves a name once, checks what it resolves to, and connects to exactly those addresses. */
export interface Dialer {
  /** Throws {@link EgressRefused} when no address is allowed, {@link DialError} when the name cannot be resolved. */
  check(target: Target, purpose: EgressPurpose, options?: CheckOptions): Promise<CheckedTarget>;
  /** Opens a TCP connection. Rejects with {@link DialError}. */
  connect(target: CheckedTarget): Promise<Socket>;
  /**
   * Creates an HTTP request to a URL whose target was checked. Does not follow redirects. The caller ends it and handles its
   * errors.
   */
  request(url: URL, target: CheckedTarget, options: UpstreamOptions): ClientRequest;
}

const lookupTimeoutMs = 10_000;
const connectTimeoutMs = 15_000;

export function createDialer(options: { egressAllow: readonly EgressRule[]; lookup?: Lookup }): Dialer {
  const lookup = options.lookup ?? ((host) => systemLookup(host, { all: true }));
  const common = keepLookups(lookup);
  return {
    async check(target, purpose, { exempt = false, isCommon = exempt } = {}) {
      const found = await resolve(target, isCommon ? common : lookup);
      const addresses = exempt
        ? found
        : found.filter(({ address }) => mayDial(options.egressAllow, purpose, target, address));
      if (addresses.length > 0) return { ...target, addresses };
      const kind = classifyAddress(found[0]?.address ?? '').replaceAll('_', ' ');
      throw new EgressRefused({
        reason: 'private_address',
        message: `${authorityOf(target)} is not reachable: its address is not public (${kind}).`,
      });
    },
    connect: connectTo,
    request: requestTo,
  };
}

async function resolve(target: Target, lookup: Lookup): Promise<readonly Address[]> {
  const family = isIP(target.host);
  if (family !== 0) return [pin({ address: target.host, family })];
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('timed out')), lookupTimeoutMs);
  try {
    const found = await Promise.race([lookup(target.host), promise]);
    if (found.length === 0) throw new Error('no address');
    return found.map(pin);
  } catch (error) {
    throw new DialError(`The name ${target.host} could not be resolved.`, error);
  } finally {
    clearTimeout(timer);
  }
}

function pin({ address }: Address): Address {
  const plain = plainAddress(address);
  return { address: plain, family: isIP(plain) };
}

/** Gives a connection the checked addresses instead of a second lookup. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Returns the checked spelling of an address literal, which is never looked up. */
function dialled(target: CheckedTarget): string {
  return isIP(target.host) === 0 ? target.host : (target.addresses[0]?.address ?? target.host);
}

function connectTo(target: CheckedTarget): Promise<Socket> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Socket>();
  const socket = connect({
    host: dialled(target),
    port: target.port,
    lookup: pinned(target.addresses),
    allowHalfOpen: true,
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  const timer = setTimeout(() => socket.destroy(new Error('timed out')), connectTimeoutMs);
  socket.once('connect', () => {
    clearTimeout(timer);
    done(socket);
  });
  socket.once('error', (error) => {
    clearTimeout(timer);
    reject(new DialError(`${authorityOf(target)} could not be reached.`, error));
  });
  return promise;
}

function requestTo(url: URL, target: CheckedTarget, options: UpstreamOptions): ClientRequest {
  const secure = url.protocol === 'https:';
  const request = (secure ? httpsRequest : httpRequest)(requestOptions(url, target, options));
  if (!request.hasHeader('host')) request.setHeader('host', url.host);
  const timer = setTimeout(() => request.destroy(new Error('The connection timed out.')), connectTimeoutMs);
  const settled = (): void => clearTimeout(timer);
  request.once('socket', (socket) => {
    if (!socket.connecting) return settled();
    socket.once(secure ? 'secureConnect' : 'connect', settled);
  });
  request.once('close', settled);
  return request;
}

function requestOptions(url: URL, target: CheckedTarget, options: UpstreamOptions): RequestOptions {
  const connection = { lookup: pinned(target.addresses), autoSelectFamilyAttemptTimeout: 1_000 };
  return {
    ...connection,
    host: dialled(target),
    port: target.port,
    path: `${url.pathname}${url.search}`,
    method: options.method,
    headers: options.headers,
    agent: options.agent ?? false,
    setHost: false,
    ...(url.protocol === 'https:' && isIP(target.host) === 0 ? { servername: target.host } : {}),
  };
}

/** Checks the target of a URL. */
export function checkUrl(
  dialer: Dialer,
  url: URL,
  purpose: EgressPurpose,
  options?: CheckOptions,
): Promise<CheckedTarget> {
  return dialer.check(targetOf(url), purpose, options);
}
