import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Row } from './row.ts';

export interface StandStill {
  path: string;
  input: string;
  harmlessMs: number;
  hostileMs: number;
}

const root = join(import.meta.dirname, '../..');

/** Runs the hostile-input suite, which measures while it judges. */
export async function benchHostile(directory: string, say: (line: string) => void): Promise<StandStill[]> {
  say('hostile input');
  const file = join(directory, 'hostile.json');
  const env = { ...process.env, GUILDHALL_HOSTILE_TABLE: file };
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  await promisify(execFile)(process.execPath, [program, 'run', 'server/test/hostile'], { cwd: root, env });
  const measured: StandStill[] = JSON.parse(readFileSync(file, 'utf8'));
  return measured;
}

/** Returns, for each parser, the input with the longest block of the event loop. */
export function hostileRows(measured: readonly StandStill[] = []): Row[] {
  const worst = new Map<string, StandStill>();
  for (const one of measured) if (one.hostileMs > (worst.get(one.path)?.hostileMs ?? -1)) worst.set(one.path, one);
  return [...worst.values()]
    .sort((a, b) => b.hostileMs - a.hostileMs)
    .map(({ path, input, harmlessMs, hostileMs }) => ({
      what: `longest stand-still, ${path}: ${input}`,
      figure: `${hostileMs.toFixed(1)} ms`,
      target: `≤ 50 ms; ${(hostileMs / Math.max(harmlessMs, 1)).toFixed(1)} of harmless input`,
      holds: hostileMs <= 50,
    }));
}
