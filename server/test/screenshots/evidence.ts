const red = (text: string) => `\u001b[31m${text}\u001b[0m`;
const green = (text: string) => `\u001b[32m${text}\u001b[0m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[0m`;

export const failing = [
  ` ${red('❯')} src/invoices.test.ts ${dim('(2 tests | 1 failed)')}`,
  `   ${green('✓')} an invoice has the total of its lines ${dim('2 ms')}`,
  `   ${red('✕')} an invoice is due after the terms of its customer ${dim('5 ms')}`,
  `     → expected undefined to deeply equal 2026-12-01T00:00:00.000Z`,
  '',
  ` Tests  ${red('1 failed')} | 1 passed (2)`,
].join('\n');

export const passing = [
  ` ${green('✓')} src/invoices.test.ts ${dim('(2 tests) 9 ms')}`,
  `   ${green('✓')} an invoice has the total of its lines ${dim('2 ms')}`,
  `   ${green('✓')} an invoice is due after the terms of its customer ${dim('3 ms')}`,
  '',
  ` Tests  ${green('2 passed')} (2)`,
].join('\n');

/** Returns what a check found: a command with its exit code and the end of its output. */
export function evidenceOf(exitCode: number, output: string, durationMs: number) {
  return {
    kind: 'command' as const,
    command: 'npm test -- invoices',
    exit_code: exitCode,
    duration_ms: durationMs,
    output_tail: output,
    artifact_id: null,
  };
}

export const reproduced = evidenceOf(1, failing, 5_900);
export const verified = evidenceOf(0, passing, 6_200);
