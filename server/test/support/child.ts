import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const fastImports = new URL('../fast-imports.ts', import.meta.url).href;

/** A TypeScript program in its own process group that prints JSON lines. */
export interface Child {
  process: ChildProcess;
  /** Waits for the first printed line, past or future, that has a number under this key. */
  number(key: string): Promise<number>;
  /** Returns every number printed under a key so far, in order. */
  numbers(key: string): number[];
  exited: Promise<{ code: number | null; stderr: string }>;
}

export function spawnChild(script: URL, args: string[]): Child {
  const child = spawn(process.execPath, ['--import', fastImports, script.pathname, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Record<string, unknown>[] = [];
  let waiting: (() => void)[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    wake();
  });
  const exited = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stderr });
      wake();
    });
  });

  function wake(): void {
    const woken = waiting;
    waiting = [];
    woken.forEach((resolve) => resolve());
  }

  function numbers(key: string): number[] {
    return lines.map((line) => line[key]).filter((value) => typeof value === 'number');
  }

  return {
    process: child,
    exited,
    numbers,
    async number(key) {
      for (;;) {
        const [first] = numbers(key);
        if (first !== undefined) {
          return first;
        }
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`the child ended without printing ${key}: ${stderr}`);
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

/** Polls for at most `timeoutMs` until a condition of the operating system holds. */
export async function eventually(condition: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
