import type { SessionEvent } from '@guildhall/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as show from '../../demo/src/show.ts';

const hostile =
  'a\u001b[2Jb\u001b]52;c;YQ==\u0007\u009b31m\u001b]8;;http://x\u001b\\\u202e\u061c\u2066\r ✓ forged\nnext';

/** Returns the terminal output of `work`, without our own colours. */
function written(work: () => void): string {
  let text = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((part) => {
      text += String(part);
      return true;
    }),
  );
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  work();
  spies.forEach((spy) => spy.mockRestore());
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[\d+m/g, '');
}

const phase = { name: 'verify', status: 'passed', summary: hostile, started_at: '', ended_at: '' } as const;
const evidence = {
  kind: 'command' as const,
  artifact_id: null,
  command: hostile,
  exit_code: 1,
  duration_ms: 1,
  output_tail: hostile,
  problem: hostile,
};
const event = (kind: string, data: object): unknown => ({ seq: 1, kind, data });

function isEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object';
}

test.each([
  event('provisioning', { step: hostile, subject: hostile, status: 'failed', summary: hostile }),
  event('phase', phase),
  event('command', { command: hostile, exit_code: null }),
  event('message', { role: 'agent', delta: hostile, done: true }),
  event('tool_call', { name: hostile, title: hostile }),
  event('output', { text: `${hostile}\n` }),
  event('branch_pushed', { branch: hostile, commit: hostile }),
  event('warning', { message: hostile }),
  event('error', { message: hostile }),
])('nothing that an event holds steers the terminal: %j', (value) => {
  if (!isEvent(value)) throw new Error('no event');
  const text = written(() => show.createSessionView(Date.now())(value));
  expect(text).toContain('a[2Jb');
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069]/u);
  expect(text).not.toMatch(/^ ✓/m);
});

test.each([
  ['a title', () => show.title(hostile)],
  ['a fact', () => show.fact('name', hostile)],
  ['a step', () => show.step(hostile)],
  ['a diff', () => show.diff(`+${hostile}`)],
  ['evidence', () => show.evidence([{ ...phase, evidence: [evidence] }])],
  ['a lost stream', () => show.lost(new Error(hostile))],
  ['a failure', () => show.failure(hostile)],
])('nothing in %s steers the terminal', (_name, work) => {
  const text = written(work);
  expect(text).toContain('a[2Jb');
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069]/u);
});

test('a line of millions of characters is cut', () => {
  const text = written(() => {
    show.title('x'.repeat(5_000_000));
    const view = show.createSessionView(Date.now());
    for (let count = 0; count < 100; count += 1) {
      const said = event('message', { role: 'agent', delta: 'x'.repeat(100_000), done: count === 99 });
      const printed = event('output', { text: 'x'.repeat(100_000) });
      for (const value of [said, printed]) if (isEvent(value)) view(value);
    }
  });
  expect(text.length).toBeLessThan(10_000);
});
