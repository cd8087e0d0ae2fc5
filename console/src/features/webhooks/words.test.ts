import { expect, test } from 'vitest';
import { deliveryState, eventsOf, eventsWord, readable } from './words.ts';

test('types of events are lines or separated by commas, each once', () => {
  expect(eventsOf(' session.*\nrun.status_changed, session.*\n\n')).toEqual(['session.*', 'run.status_changed']);
  expect([eventsWord([]), eventsWord(['a.b', 'c.*'])]).toEqual(['all events', 'a.b, c.*']);
});

test('a body that is no JSON stays as it came', () => {
  expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(readable('<html>')).toBe('<html>');
});

test('a delivery that failed once and is pending is tried again', () => {
  const word = (state: 'pending' | 'delivered' | 'failed', attempts: number) => deliveryState({ state, attempts }).word;
  expect([word('pending', 0), word('pending', 2), word('delivered', 1), word('failed', 30)]).toEqual([
    'Waits',
    'Tries again',
    'Delivered',
    'Failed',
  ]);
});
