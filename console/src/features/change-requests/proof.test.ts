import { expect, test } from 'vitest';
import { proofOf, type Evidence } from './proof.ts';

const run = (exit: number | null, more: Partial<Evidence> = {}): Evidence => ({
  kind: 'command',
  command: 'npm test',
  exit_code: exit,
  duration_ms: 1,
  output_tail: '',
  artifact_id: null,
  ...more,
});

test('only a check that failed before and passes now is proof', () => {
  expect(proofOf([run(1), run(0)])).toMatchObject({ word: 'Verified', tone: 'ok' });
  expect(proofOf([run(0), run(0)])).toMatchObject({ word: 'Check passes', tone: 'plain' });
  expect(proofOf([run(0)])).toMatchObject({ word: 'Check passes', tone: 'plain', before: undefined });
  expect(proofOf([run(1), run(1)])).toMatchObject({ word: 'Check fails', tone: 'bad' });
  expect(proofOf([run(1, { command: 'false' }), run(0)]).tone).toBe('plain');
  expect(proofOf([run(127, { problem: 'npm is missing' }), run(0)]).tone).toBe('plain');
});

test('a check that did not run says nothing', () => {
  expect(proofOf([])).toMatchObject({ word: 'Unchecked', tone: 'plain' });
  expect(proofOf([run(1), run(null)]).word).toBe('Unchecked');
  expect(proofOf([run(0, { kind: 'file' })]).word).toBe('Unchecked');
});
