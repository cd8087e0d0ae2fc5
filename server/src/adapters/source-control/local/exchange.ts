import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { harmlessFaults } from '../../../git/bare.ts';
import type { Allowance } from '../../../lib/allowance.ts';
import { gitFailure } from '../../../git/native.ts';
import { PktLineError } from '../../../git/pkt-line.ts';
import { runService } from './service-process.ts';
import type { GitService } from '../../../git/http-path.ts';
import type { GitConfig } from '../../../git/native.ts';
import type { PackLimits } from '../../../git/pack/judge.ts';
import type { PushCommand } from '../../../git/pkt-line.ts';

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
  /**
   * Called with a push's commands before git sees it, and again before git has all of its pack: a reason refuses it and is
   * shown to the person who pushes.
   */
  authorizePush?: (commands: readonly PushCommand[]) => Promise<string | undefined> | string | undefined;
  /** Called after refs changed and before the client learns of it, so that what it does next sees the consequences. */
  onRefsUpdated?: (updates: RefUpdate[]) => Promise<void> | void;
  /** The time, for what is kept only for a while. */
  now?: () => Date;
  /** Default true: a push cannot delete a ref. */
  denyDeletes?: boolean;
  /** Bytes of one push, default 2 GiB. */
  maxPushBytes?: number;
  /** What is said of a push that has more: why, and what to do. */
  tooLarge?: string;
  packLimits?: PackLimits;
  /** What packs of the same origin may become together, beyond what their bytes allow. */
  allowance?: Allowance;
  /** Without a byte in either direction the exchange ends; default 120,000. */
  idleTimeoutMs?: number;
  /** What takes longer is ended, whatever moves; default an hour. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface Served {
  /** The status that was sent, 499 when the client went away before. */
  status: number;
  updates: RefUpdate[];
}

/** Refs of the platform's own, neither shown nor writable over HTTP. */
const hiddenRefs = 'refs/guildhall';
export const defaultMaxPushBytes = 2 * 1024 ** 3;

export interface Hooks {
  /** See {@link runService}; `yes` unless told. */
  mayAnswer?: () => 'yes' | 'not yet' | 'never';
  /** Said in git's place where that may never answer. */
  refusal?: () => Buffer;
  onOutput?: (chunk: Buffer) => void;
  /** `complete`: all of git's output was there. */
  beforeEnd?: (complete: boolean) => Promise<void>;
}

/** Runs one of git's services as the answer; `head` comes before what it says. */
export async function run(
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
    timeoutMs: options.timeoutMs ?? 60 * 60_000,
    mayAnswer: hooks.mayAnswer ?? (() => 'yes'),
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
  if (hooks.mayAnswer?.() === 'never') return send(options, 200, contentType, hooks.refusal?.() ?? Buffer.alloc(0));
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

/** A wrong packet line, or a gzip stream that is none. */
export function isMalformed(error: unknown): boolean {
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

export function protocolOf(options: ServeOptions): string | undefined {
  const value = options.request.headers['git-protocol'];
  return typeof value === 'string' && /^[A-Za-z0-9=:._-]{1,200}$/.test(value) ? value : undefined;
}

const noCache = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

export function refuse(options: ServeOptions, status: number, text: string): Served {
  return send(options, status, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`));
}

export function send(options: ServeOptions, status: number, contentType: string, body: Buffer): Served {
  if (options.response.destroyed) return { status: 499, updates: [] };
  if (options.response.headersSent) options.response.destroy();
  else options.response.writeHead(status, { 'content-type': contentType, ...noCache }).end(body);
  return { status, updates: [] };
}
