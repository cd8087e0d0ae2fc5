import { posix } from 'node:path';
import { messageOf, ProviderError } from '../../../../lib/errors.ts';
import type { AgentSandbox } from '../../sandbox.ts';
import { failed, type ToolContext, type ToolOutcome } from './tool.ts';

/** A path that a tool cannot use. The message is for the model. */
class PathProblem extends Error {}

/** Limit for a file; a larger one needs the shell. */
export const maxFileBytes = 10 * 1024 * 1024;

export interface FileStatus {
  kind: 'file' | 'directory' | 'other';
  /** Permission bits. */
  mode: number;
  sizeBytes: number;
}

/** An absolute path inside the sandbox, below the workspace, the home directory or /tmp. Throws {@link PathProblem}. */
export function resolvePath(sandbox: AgentSandbox, path: string): string {
  if (path === '') throw new PathProblem('The path is empty.');
  if (path.includes('\0')) throw new PathProblem('A path must not contain NUL.');
  const expanded = path === '~' || path.startsWith('~/') ? posix.join(sandbox.home, path.slice(1)) : path;
  const absolute = posix.resolve(sandbox.workspace, expanded);
  const roots = [sandbox.workspace, sandbox.home, '/tmp'];
  if (roots.some((root) => absolute === root || absolute.startsWith(`${root}/`))) return absolute;
  throw new PathProblem(
    `${path} is outside of the workspace ${sandbox.workspace}, the home directory ${sandbox.home} and /tmp. Use the shell for other paths.`,
  );
}

/** Returns a path inside the workspace relative to it; others unchanged. */
export function shownPath(sandbox: AgentSandbox, path: string): string {
  return path.startsWith(`${sandbox.workspace}/`) ? path.slice(sandbox.workspace.length + 1) : path;
}

/** Returns a file's status; undefined if it does not exist. */
export async function statusOf({ sandbox, signal }: ToolContext, path: string): Promise<FileStatus | undefined> {
  const command = ['stat', '--dereference', '--format=%f %s', '--', path];
  const { exitCode, stdout } = await sandbox.exec({ command, timeoutMs: 30_000, signal });
  const [rawMode = '', size = ''] = String(stdout).trim().split(' ');
  const bits = Number.parseInt(rawMode, 16);
  if (exitCode !== 0 || Number.isNaN(bits)) return undefined;
  const type = bits & 0o170000;
  const kind = type === 0o100000 ? 'file' : type === 0o040000 ? 'directory' : 'other';
  return { kind, mode: bits & 0o7777, sizeBytes: Number(size) };
}

/** Runs a file operation; a problem with a path or file becomes a result for the model. */
export async function withFiles(context: ToolContext, run: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  context.signal.throwIfAborted();
  try {
    return await run();
  } catch (error) {
    if (error instanceof PathProblem) return failed(error.message);
    // The sandbox is alive and refused the file.
    if (error instanceof ProviderError && !error.retryable) return failed(messageOf(error));
    throw error;
  }
}

/** Waits for `work`, but rejects as soon as the turn is interrupted: a file transfer itself cannot be aborted. */
export async function interruptible<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new Error('The turn was interrupted.', { cause: signal.reason }));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Prevents an unhandled rejection of the slower one.
    work.catch(() => undefined);
    aborted.promise.catch(() => undefined);
  }
}

/** Returns true for content that is not readable text. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, 8_192).includes(0);
}
