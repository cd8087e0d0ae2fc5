import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../lib/errors.ts';
import { limited } from '../lib/limits.ts';
import type { CodeFile } from './extract.ts';
import { factKinds } from './facts.ts';
import type { Language } from './languages.ts';
import { symbolKinds } from './queries.ts';

/** Reads source files in a process of its own, of at most 512 MiB. */
export interface SymbolParser {
  /** Returns undefined for a file that takes more than 2 s or too much memory. Call it once at a time. */
  parse(language: Language, source: string): Promise<CodeFile | undefined>;
  close(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
/** V8 reserves 128 MiB for code and uses little of it. */
const memoryBytes = (512 + 256) * 1024 ** 2;
/** 128 MiB for JavaScript and 160 MiB for WebAssembly; Node itself takes less than the rest of 512 MiB. */
const nodeFlags = ['--max-old-space-size=128', '--max-semi-space-size=8', '--wasm-max-mem-pages=2560'];
const startMs = 30_000;

const File = Type.Object({
  lines: Type.Integer(),
  symbols: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: Type.Union(symbolKinds.map((kind) => Type.Literal(kind))),
      container: Type.String(),
      line: Type.Integer(),
      endLine: Type.Integer(),
      signature: Type.String(),
      isExported: Type.Boolean(),
      doc: Type.String(),
    }),
  ),
  facts: Type.Array(
    Type.Object({
      kind: Type.Union(factKinds.map((kind) => Type.Literal(kind))),
      name: Type.String(),
      detail: Type.String(),
      line: Type.Integer(),
    }),
  ),
});

/** `fileMs` is the maximum duration for one file in milliseconds. */
export function openSymbolParser({ fileMs = 2_000 } = {}): SymbolParser {
  let child: ChildProcess | undefined;
  let isFresh = false;

  async function start(): Promise<ChildProcess> {
    const [file, args] = limited(process.execPath, [...nodeFlags, program], { memoryBytes, cpuSeconds: 3_600 });
    const started = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    });
    child = started;
    if ((await answerOf(started, startMs)) === 'ready') return started;
    stop();
    throw new ProviderError('The parser did not start.', { retryable: true });
  }

  function stop(): void {
    child?.kill('SIGKILL');
    child = undefined;
  }

  async function attempt(language: Language, source: string): Promise<unknown> {
    isFresh = child === undefined;
    const at = child ?? (await start());
    at.send({ language, source }, () => undefined);
    const answer = await answerOf(at, fileMs);
    if (answer === null || typeof answer === 'string') stop();
    return answer;
  }

  return {
    async parse(language, source) {
      let answer = await attempt(language, source);
      // The files before it may have taken the memory.
      if ((answer === null || answer === 'ended') && !isFresh) answer = await attempt(language, source);
      return Value.Check(File, answer) ? answer : undefined;
    },
    close: stop,
  };
}

/** Returns the next message, `ended` if the process ends before, or `late`. */
async function answerOf(child: ChildProcess, ms: number): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ignored = (): string => 'ended';
  const late = setTimeout(() => over.abort(), ms);
  try {
    const message = once(child, 'message', { signal }).then(([first]: unknown[]) => first);
    const ended = once(child, 'exit', { signal }).then(ignored);
    return await Promise.race([message, ended]);
  } catch {
    return signal.aborted ? 'late' : 'ended';
  } finally {
    clearTimeout(late);
    over.abort();
  }
}
