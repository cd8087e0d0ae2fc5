import { expect, test } from 'vitest';
import { withoutRepeats } from './log-repeats.ts';

/** Writes one line each second, and returns the seconds in which it was written, with the number that was left out. */
function written(seconds: number, lineAt: (second: number) => string): [number, number][] {
  const found: [number, number][] = [];
  let second = 0;
  const log = withoutRepeats(
    { write: (line) => found.push([second, Number(JSON.parse(line)['repeated'] ?? 0)]) },
    () => second * 1_000,
  );
  for (; second < seconds; second += 1) log.write(lineAt(second));
  return found;
}

const line = (level: number, second: number, more: object = { msg: 'failed to poll' }): string =>
  `${JSON.stringify({ level, time: `at ${second}`, ...more })}\n`;

test('a warning of each second is written at once, and then at growing intervals', () => {
  const hour = written(3_600, (second) => line(40, second));
  expect(hour.slice(0, 4)).toEqual([
    [0, 0],
    [10, 9],
    [30, 19],
    [70, 39],
  ]);
  const gaps = hour.slice(1).map(([at], index) => at - (hour[index]?.[0] ?? 0));
  expect(gaps.at(-1)).toBe(600);
  expect(hour.length).toBeLessThan(15);
});

test('what differs, and what is not a problem, is always written', () => {
  expect(written(20, (second) => line(40, second, { session: `ses_${second}`, msg: 'lost' }))).toHaveLength(20);
  expect(written(20, (second) => line(30, second))).toHaveLength(20);
  expect(written(20, (second) => line(60, second))).toHaveLength(20);
  expect(written(20, (second) => line(second % 2 === 0 ? 40 : 50, second)).map(([at]) => at)).toEqual([0, 1, 10, 11]);
});

test('after a silence it is news again', () => {
  const outage = (second: number): string => line(second < 20 || second >= 60 ? 50 : 30, second);
  const problems = written(80, outage).filter(([at]) => at < 20 || at >= 60);
  expect(problems).toEqual([
    [0, 0],
    [10, 9],
    [60, 0],
    [70, 9],
  ]);
});

test('ever new lines take little memory', () => {
  const found: string[] = [];
  const log = withoutRepeats({ write: (text) => found.push(text) }, () => 0);
  for (let count = 0; count < 1_000; count += 1) log.write(line(40, count, { count }));
  log.write(line(40, 0, { count: 999 }));
  log.write(line(40, 0, { count: 0 }));
  expect(found).toHaveLength(1_001);
});

test('a long line is written each time, and not remembered', () => {
  expect(written(20, (second) => line(40, second, { msg: 'x'.repeat(10_000) }))).toHaveLength(20);
});
