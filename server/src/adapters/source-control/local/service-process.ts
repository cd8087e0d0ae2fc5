import type { ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { drained, spawnGit } from '../../../git/native.ts';
import type { GitConfig } from '../../../git/native.ts';

export interface ServiceRun {
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  config: GitConfig;
  body: AsyncIterable<Uint8Array>;
  /** Gets git's output. Not ended here, but destroyed if the run is aborted. */
  response: ServerResponse;
  idleTimeoutMs: number;
  /** Limit for the whole exchange. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Decides if git's output may go to the response. Earlier output is buffered, up to 1 MiB, and sent with the next. */
  mayAnswer(): 'yes' | 'not yet' | 'never';
  /** Called with each chunk before it goes to the response. */
  onOutput(chunk: Buffer): void;
}

export interface ServiceEnd {
  /** `aborted`: the client disconnected, a timeout, or the signal. */
  outcome: 'exited' | 'aborted';
  exitCode: number;
  stderr: string;
  /** Error of the request's body, if any. */
  bodyError: unknown;
}

const maxStderrLength = 64 * 1024;
const maxHeldBytes = 1024 * 1024;

/** Connects a git service process to a request body and a response, with backpressure both ways, until it ends. */
export async function runService(run: ServiceRun): Promise<ServiceEnd> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const idle = setTimeout(abort, run.idleTimeoutMs);
  // A limit for the whole exchange, because git's keepalives reset the idle timer.
  const wall = setTimeout(abort, run.timeoutMs);
  const touch = (): void => {
    idle.refresh();
  };
  run.response.on('close', abort);
  run.signal?.addEventListener('abort', abort, { once: true });
  if (run.response.destroyed || run.signal?.aborted === true) abort();
  const child = spawnGit(run.args, { cwd: run.cwd, env: run.env, config: run.config, signal: stop.signal });
  const release = (): void => {
    // Grandchildren (pack-objects, index-pack) end with their pipes; the request's body ends with the response.
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    run.response.destroy();
  };
  if (stop.signal.aborted) release();
  else stop.signal.addEventListener('abort', release, { once: true });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < maxStderrLength / 64) errors.push(chunk.toString('utf8').slice(0, 4096));
  });
  try {
    const [bodyError, , result] = await Promise.all([
      feed(run.body, child.stdin, touch),
      forward(child.stdout, run, touch, stop.signal),
      child.ended,
    ]);
    const stderr = errors.join('').slice(0, maxStderrLength);
    return { outcome: stop.signal.aborted ? 'aborted' : 'exited', exitCode: result.exitCode ?? -1, stderr, bodyError };
  } finally {
    clearTimeout(idle);
    clearTimeout(wall);
    run.response.off('close', abort);
    run.signal?.removeEventListener('abort', abort);
  }
}

/**
 * Reads the body to its end even if git stopped reading, because only then the client reads the response with the reason. An
 * aborted body ends git's input early, which git treats as a failure.
 */
async function feed(body: AsyncIterable<Uint8Array>, stdin: Writable, touch: () => void): Promise<unknown> {
  stdin.on('error', () => {});
  try {
    for await (const chunk of body) {
      touch();
      if (stdin.writable && !stdin.write(chunk)) await drained(stdin);
    }
    return undefined;
  } catch (error) {
    return error;
  } finally {
    stdin.end();
  }
}

async function forward(stdout: Readable, run: ServiceRun, touch: () => void, signal: AbortSignal): Promise<void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const release = async (): Promise<void> => {
    const said = run.mayAnswer() === 'never' ? [] : held;
    held = [];
    heldBytes = 0;
    for (const bytes of said) {
      run.onOutput(bytes);
      if (run.response.writable && !run.response.write(bytes)) await drained(run.response);
    }
  };
  try {
    for await (const chunk of stdout) {
      touch();
      held.push(Buffer.from(chunk));
      heldBytes += chunk.length;
      if (run.mayAnswer() === 'yes' || heldBytes > maxHeldBytes) await release();
    }
    await release();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
