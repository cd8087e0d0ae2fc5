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

/** A changed ref; a zero id means that the ref does not exist. */
export type RefUpdate = PushCommand;

export interface ServeOptions {
  /** The bare repository, chosen by the caller; no part of the URL becomes a path here. */
  repositoryPath: string;
  /** `info/refs` (GET, the advertisement of `service`) or `rpc` (POST of `git-<service>`). */
  endpoint: 'info/refs' | 'rpc';
  service: GitService;
  request: Readable & { headers: IncomingHttpHeaders; method?: string };
  response: ServerResponse;
  /** The pushing user, for git's own records; authentication happened before. */
  remoteUser?: string;
  /**
   * Called with a push's commands before git gets them, and again before git gets the end of the pack. A returned reason
   * refuses the push and is shown to the user.
   */
  authorizePush?: (commands: readonly PushCommand[]) => Promise<string | undefined> | string | undefined;
  /** Called after refs changed and before the client gets the response, so that its next request sees the consequences. */
  onRefsUpdated?: (updates: RefUpdate[]) => Promise<void> | void;
  /** Clock for data with a limited lifetime. */
  now?: () => Date;
  /** Default true: a push cannot delete refs. */
  denyDeletes?: boolean;
  /** Limit for the bytes of one push; default 2 GiB. */
  maxPushBytes?: number;
  /** Message for a larger push, with the reason and the remedy. */
  tooLarge?: string;
  packLimits?: PackLimits;
  /** Shared allowance for unpacking packs of the same origin, beyond what their bytes allow. */
  allowance?: Allowance;
  /** Time without a byte in either direction after which the exchange ends; default 120,000. */
  idleTimeoutMs?: number;
  /** Limit for the whole exchange; default one hour. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface Served {
  /** The sent status; 499 if the client disconnected before. */
  status: number;
  updates: RefUpdate[];
}

/** Internal refs of the platform, neither visible nor writable over HTTP. */
const hiddenRefs = 'refs/guildhall';
export const defaultMaxPushBytes = 2 * 1024 ** 3;

export interface Hooks {
  /** See {@link runService}; default `yes`. */
  mayAnswer?: () => 'yes' | 'not yet' | 'never';
  /** Response instead of git's, if `mayAnswer` returns `never`. */
  refusal?: () => Buffer;
  onOutput?: (chunk: Buffer) => void;
  /** `complete`: git's output is complete. */
  beforeEnd?: (complete: boolean) => Promise<void>;
}

/** Runs a git service and streams its output as the response, after `head`. */
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
  // Also after a disconnect: the push may have happened.
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

/** True for an invalid packet line or gzip stream. */
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
    // It borrows from no other repository, but git asks for the refs of this one again. `true` prints none.
    ['core.alternateRefsCommand', 'true'],
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
