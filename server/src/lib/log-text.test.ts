import { expect, test } from 'vitest';
import { readable } from './log-text.ts';

const line = (fields: object): string => JSON.stringify({ level: 30, time: '2026-01-02T03:04:05.678Z', ...fields });

test('a line says when, how grave, what, and the rest by name', () => {
  expect(readable(line({ tool: 'pip', n: 3, msg: 'found nothing' }), false)).toBe(
    '03:04:05 INFO  found nothing tool=pip n=3\n',
  );
});

test('an error shows its message and where it came from', () => {
  const err = { message: 'broken', stack: 'Error: broken\n    at a.ts' };
  expect(readable(line({ level: 50, err }), false)).toBe(
    '03:04:05 ERROR broken\n         Error: broken\n             at a.ts\n',
  );
});

test('what comes from outside cannot move the cursor', () => {
  expect(readable(line({ msg: 'a\u001b[2Jb', path: '\r\n' }), false)).toBe('03:04:05 INFO  a [2Jb path=  \n');
});

test('what comes from outside cannot move the cursor from within a stack, nor turn its direction', () => {
  const err = { message: 'said', stack: 'Error: said\u001b[2J\r\u202egnp\n    at a.ts' };
  expect(readable(line({ level: 50, err }), false)).toBe(
    '03:04:05 ERROR said\n         Error: said [2J  gnp\n             at a.ts\n',
  );
});

test('on a terminal the level has a colour', () => {
  expect(readable(line({ level: 40, msg: 'careful' }), true)).toContain('\u001b[33mWARN \u001b[39m');
});
