import type { ExecOptions, ExecResult, Sandbox } from '../../../adapters/sandbox/port.ts';
import type { Mask } from '../../../lib/mask/mask.ts';
import { Tail } from './output.ts';

const defaultKeepBytes = 64 * 1024;
const streams = ['stdout', 'stderr'] as const;

/** Runs a command and masks its output, both the chunks for `onOutput` and the result. */
export async function execMasked(sandbox: Sandbox, mask: Mask, options: ExecOptions): Promise<ExecResult> {
  const { keepBytes = defaultKeepBytes, onOutput } = options;
  const filters = { stdout: mask.stream(), stderr: mask.stream() };
  const tails = { stdout: new Tail(keepBytes), stderr: new Tail(keepBytes) };
  const pass = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (chunk.length === 0) return;
    tails[stream].push(chunk);
    onOutput?.(stream, chunk);
  };
  const seen = { stdout: false, stderr: false };
  let result: ExecResult;
  try {
    result = await sandbox.exec({
      ...options,
      onOutput: (stream, chunk) => {
        seen[stream] = true;
        pass(stream, filters[stream].push(chunk));
      },
    });
  } finally {
    for (const stream of streams) pass(stream, filters[stream].end());
  }
  // A program that failed to start reports it only in the result, not through onOutput.
  const kept = (stream: 'stdout' | 'stderr'): Buffer =>
    seen[stream] ? tails[stream].bytes() : Buffer.from(mask.text(result[stream].toString('utf8')));
  return { ...result, stdout: kept('stdout'), stderr: kept('stderr') };
}
