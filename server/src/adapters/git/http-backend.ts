import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { harmlessFaults, listRefs } from './bare.ts';
import { messageOf } from '../../lib/errors.ts';
import { gitFailure } from './native.ts';
import { flushPkt, encodePkt, PktLineError } from './pkt-line.ts';
import { readPushHead } from './push-head.ts';
import { parseReceiveReport, refusePush } from './receive-report.ts';
import { runService } from './service-process.ts';
import type { GitService } from './http-path.ts';
import type { GitConfig } from './native.ts';
import type { PushCommand, PushCommands } from './pkt-line.ts';

/** A ref that changed; all zeros stand for not existing. */
export type RefUpdate = PushCommand;

export interface ServeOptions {
  /** The bare repository, chosen by the caller; nothing of the URL becomes a path here. */
  repositoryPath: string;
  /** `info/refs` (GET, the advertisement of `service`) or `rpc` (POST of `git-<service>`). */
  endpoint: 'info/refs' | 'rpc';
  service: GitService;
  request: Readable & { headers: IncomingHttpHeaders; method?: string };
  response: ServerResponse;
  /** Who pushes, for git's own records; authentication happened before. */
  remoteUser?: string;
  /** Called with a push's commands before git sees it: a reason refuses it and is shown to the person who pushes. */
  authorizePush?: (commands: readonly PushCommand[]) => Promise<string | undefined> | string | undefined;
  /** Called after refs changed and before the client learns of it, so that what it does next sees the consequences. */
  onRefsUpdated?: (updates: RefUpdate[]) => Promise<void> | void;
  /** Default true: a push cannot delete a ref. */
  denyDeletes?: boolean;
  /** Bytes of one push, default 2 GiB. */
  maxPushBytes?: number;
  /** Without a byte in either direction the exchange ends; default 120,000. */
  idleTimeoutMs?: number;
  signal?: AbortSignal;
}

export interface Served {
  /** The status that was sent, 499 when the client went away before. */
  status: number;
  updates: RefUpdate[];
}

/** Refs of the platform's own, neither shown nor writable over HTTP. */
const hiddenRefs = 'refs/guildhall';
const maxFetchRequestBytes = 32 * 1024 * 1024;
const defaultMaxPushBytes = 2 * 1024 ** 3;
const maxReportBytes = 4 * 1024 * 1024;
/** Refs that one push may change. */
const maxCommands = 5_000;

/** A push counts its pack; the commands before it come on top. Git itself refuses a larger pack with a clear message. */
const commandListAllowance = 64 * 1024 * 1024;

/**
 * Answers one request of git's smart HTTP protocol (gitprotocol-http; versions 0 and 2) from a bare repository, streaming
 * both ways. A client that goes away takes the git process with it. Resolves when the exchange is over; rejects only
 * with what `authorizePush` or `onRefsUpdated` threw, or when git failed after the answer had begun.
 */
export async function serveGit(options: ServeOptions): Promise<Served> {
  const expected = options.endpoint === 'info/refs' ? 'GET' : 'POST';
  if (options.request.method !== expected) return refuse(options, 405, `Use ${expected}.`);
  if (!(await exists(join(options.repositoryPath, 'HEAD')))) return refuse(options, 404, 'No such repository.');
  if (options.endpoint === 'info/refs') return advertise(options);
  const type = options.request.headers['content-type'];
  if (type !== `application/x-git-${options.service}-request`) return refuse(options, 415, 'Not a git request.');
  const encoding = options.request.headers['content-encoding'] ?? 'identity';
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) return refuse(options, 415, 'Unknown content encoding.');
  const source = encoding === 'identity' ? options.request : gunzip(options.request);
  const maxBytes =
    options.service === 'upload-pack' ? maxFetchRequestBytes : (options.maxPushBytes ?? defaultMaxPushBytes);
  // Leaving an iterator early would destroy the request and with it the socket the answer needs.
  const body = capped(source.iterator({ destroyOnReturn: false }), maxBytes + commandListAllowance);
  try {
    return options.service === 'upload-pack' ? await upload(options, body) : await receive(options, body);
  } catch (error) {
    if (options.response.destroyed) return { status: 499, updates: [] };
    if (isMalformed(error)) return refuse(options, 400, `Malformed request: ${messageOf(error)}.`);
    if (!options.response.headersSent) refuse(options, 500, 'The request failed.');
    throw error;
  }
}

async function advertise(options: ServeOptions): Promise<Served> {
  const { service } = options;
  const head =
    service === 'upload-pack' && /(?:^|:)version=2(?:$|:)/.test(protocolOf(options) ?? '')
      ? []
      : [encodePkt(`# service=git-${service}\n`), flushPkt];
  return run(options, ['--http-backend-info-refs'], `application/x-git-${service}-advertisement`, head, nothing());
}

async function upload(options: ServeOptions, body: AsyncIterable<Uint8Array>): Promise<Served> {
  return run(options, [], 'application/x-git-upload-pack-result', [], body);
}

async function receive(options: ServeOptions, body: AsyncIterable<Uint8Array>): Promise<Served> {
  const type = 'application/x-git-receive-pack-result';
  const { push, rest } = await readPushHead(body);
  const reason = push === undefined ? undefined : (tooManyIn(push) ?? (await options.authorizePush?.(push.commands)));
  if (push !== undefined && reason !== undefined) {
    // The client reads the answer only after it has sent everything.
    for await (const _ of rest) if (options.response.destroyed) break;
    return send(options, 200, type, refusePush(push, reason));
  }
  const report: Buffer[] = [];
  let size = 0;
  let reported: RefUpdate[] = [];
  const served = await run(options, [], type, [], rest, {
    onOutput: (chunk) => {
      if (size < maxReportBytes) report.push(chunk);
      size += chunk.length;
    },
    beforeEnd: async (complete) => {
      reported = push === undefined ? [] : await updatesOf(options, push, complete ? Buffer.concat(report) : undefined);
      if (reported.length > 0) await options.onRefsUpdated?.(reported);
    },
  });
  return { ...served, updates: reported };
}

function tooManyIn({ commands }: PushCommands): string | undefined {
  if (commands.length <= maxCommands) return undefined;
  return `a push changes at most ${maxCommands} refs, and this one changes ${commands.length}: push them in parts`;
}

/** The refs git says it set; where its report is missing (not asked for, or cut off) the refs themselves tell. */
async function updatesOf(options: ServeOptions, push: PushCommands, output: Buffer | undefined): Promise<RefUpdate[]> {
  const report = output === undefined ? undefined : parseReceiveReport(output, push.capabilities);
  const after = report === undefined ? await listRefs(options.repositoryPath, 'refs/') : undefined;
  const done = new Set(report?.ok);
  const isDone = ({ ref, new: next }: PushCommand): boolean =>
    report === undefined ? (after?.get(ref) ?? '0'.repeat(next.length)) === next : done.has(ref);
  return push.commands.filter((command) => command.old !== command.new && isDone(command));
}

interface Hooks {
  onOutput?: (chunk: Buffer) => void;
  /** `complete`: all of git's output was there. */
  beforeEnd?: (complete: boolean) => Promise<void>;
}

async function run(
  options: ServeOptions,
  flags: readonly string[],
  contentType: string,
  head: readonly Buffer[],
  body: AsyncIterable<Uint8Array>,
  hooks: Hooks = {},
): Promise<Served> {
  const { response } = options;
  let started = false;
  const start = (): void => {
    if (started || response.destroyed) return;
    started = true;
    response.writeHead(200, { 'content-type': contentType, ...noCache });
    for (const bytes of head) response.write(bytes);
  };
  const ended = await runService({
    args: [options.service, '--stateless-rpc', ...flags, '.'],
    cwd: options.repositoryPath,
    env: environmentOf(options),
    config: configOf(options),
    response,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    body,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onOutput: (chunk) => {
      start();
      hooks.onOutput?.(chunk);
    },
  });
  // Also when the client is gone: its push may have happened.
  const consequences =
    hooks.beforeEnd === undefined ? undefined : await settle(hooks.beforeEnd(ended.outcome === 'exited'));
  if (ended.outcome === 'aborted') {
    response.destroy();
    if (consequences?.error !== undefined) throw consequences.error;
    return { status: 499, updates: [] };
  }
  if (!started && ended.exitCode !== 0) {
    if (isMalformed(ended.bodyError)) throw ended.bodyError;
    return refuse(options, 500, 'git failed.');
  }
  start();
  response.end();
  if (consequences?.error !== undefined) throw consequences.error;
  if (ended.exitCode !== 0 && options.service === 'receive-pack')
    throw gitFailure('receive-pack', ended.exitCode, ended.stderr);
  return { status: 200, updates: [] };
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** A wrong packet line, or a gzip stream that is none. */
function isMalformed(error: unknown): boolean {
  if (error instanceof PktLineError) return true;
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_.*PADDING)/.test(String(error.code));
}

async function settle(work: Promise<void>): Promise<{ error?: unknown }> {
  try {
    await work;
    return {};
  } catch (error) {
    return { error };
  }
}

function environmentOf(options: ServeOptions): Record<string, string> {
  const protocol = protocolOf(options);
  return {
    ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
    ...(options.remoteUser === undefined ? {} : { REMOTE_USER: options.remoteUser.replaceAll('\0', '') }),
  };
}

function configOf(options: ServeOptions): GitConfig {
  if (options.service === 'upload-pack') return [['transfer.hideRefs', hiddenRefs]];
  return [
    ['transfer.hideRefs', hiddenRefs],
    ['receive.fsckObjects', 'true'],
    ...harmlessFaults.map((fault): [string, string] => [`receive.fsck.${fault}`, 'ignore']),
    ['receive.autogc', 'false'],
    ['receive.denyDeletes', String(options.denyDeletes ?? true)],
    ['receive.maxInputSize', String(options.maxPushBytes ?? defaultMaxPushBytes)],
  ];
}

function protocolOf(options: ServeOptions): string | undefined {
  const value = options.request.headers['git-protocol'];
  return typeof value === 'string' && /^[A-Za-z0-9=:._-]{1,200}$/.test(value) ? value : undefined;
}

const noCache = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

function refuse(options: ServeOptions, status: number, text: string): Served {
  return send(options, status, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`));
}

function send(options: ServeOptions, status: number, contentType: string, body: Buffer): Served {
  if (options.response.destroyed) return { status: 499, updates: [] };
  if (options.response.headersSent) options.response.destroy();
  else options.response.writeHead(status, { 'content-type': contentType, ...noCache }).end(body);
  return { status, updates: [] };
}

function gunzip(request: Readable): Readable {
  const plain = createGunzip();
  request.on('error', (error) => plain.destroy(error));
  request.on('close', () => {
    if (!request.readableEnded) plain.destroy(new Error('the client went away'));
  });
  return request.pipe(plain);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* capped(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new PktLineError('it is too long');
    yield chunk;
  }
}
