import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Value } from 'typebox/value';
import { ProviderError } from '../lib/errors.ts';
import { limited } from '../lib/limits.ts';
import { Wiki, type Part } from './material.ts';

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
/** V8 reserves 128 MiB for code and uses little of it. */
const memoryBytes = (512 + 256) * 1024 ** 2;
const nodeFlags = ['--max-old-space-size=384', '--max-semi-space-size=8'];

/**
 * Makes a wiki from its parts in a process of its own, of at most 512 MiB. Throws a ProviderError if that takes more, or more
 * than `ms` after the last part.
 */
export async function runBuilder(
  parts: AsyncIterable<Part>,
  repo: string,
  { signal, ms = 60_000 }: { signal: AbortSignal; ms?: number },
): Promise<Wiki> {
  const [file, args] = limited(process.execPath, [...nodeFlags, program], { memoryBytes, cpuSeconds: 120 });
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', env: {} });
  const over = new AbortController();
  const ended = once(child, 'exit', { signal: over.signal }).catch(() => undefined);
  const next = async (part?: Part): Promise<unknown> => {
    const answer = once(child, 'message', { signal: AbortSignal.any([AbortSignal.timeout(ms), signal, over.signal]) });
    if (part !== undefined) child.send(part, () => undefined);
    const told = await Promise.race([
      answer.then(([first]: unknown[]) => first),
      ended.then(() => Promise.reject(tooMuch())),
    ]).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof ProviderError ? error : tooMuch();
    });
    return told;
  };
  try {
    await next();
    for await (const part of parts) await next(part);
    const wiki = await next({ build: { repo } });
    if (!Value.Check(Wiki, wiki)) throw tooMuch();
    return wiki;
  } finally {
    over.abort();
    child.kill('SIGKILL');
  }
}

function tooMuch(): ProviderError {
  return new ProviderError(
    'Making the pages takes too much memory or time. Exclude directories in .guildhall/wiki.json.',
    {
      retryable: false,
    },
  );
}
