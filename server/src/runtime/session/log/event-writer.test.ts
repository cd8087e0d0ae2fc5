import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import { createEventWriter } from './event-writer.ts';

function warning(message: string): NewEvent {
  return { kind: 'warning', data: { code: 'test', message } };
}

/** Returns a log that appends when told. */
function slowLog() {
  const batches: (readonly NewEvent[])[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const began: (() => void)[] = [];
  return {
    batches,
    append: (events: readonly NewEvent[]) => {
      batches.push(events);
      began.shift()?.();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ resolve, reject });
      return promise;
    },
    next: () => new Promise<void>((resolve) => began.push(resolve)),
    done: () => waiting.shift()?.resolve(),
    fail: (error: Error) => waiting.shift()?.reject(error),
  };
}

const ignore = () => undefined;
const texts = (batch: readonly NewEvent[] | undefined) =>
  batch?.map(({ data }) => ('message' in data ? data.message : ''));

describe('the event writer', () => {
  test('appends in order, one batch at a time; what comes meanwhile is the next', async () => {
    const log = slowLog();
    const writer = createEventWriter({ append: log.append, mask: (text) => text, onFailure: ignore });
    const first = log.next();
    writer.write(warning('1'));
    writer.write(warning('2'));
    await first;
    writer.write(warning('3'));
    writer.write(warning('4'));
    expect(log.batches.map(texts)).toEqual([['1', '2']]);
    const second = log.next();
    log.done();
    await second;
    expect(log.batches.map(texts)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    const flushed = writer.flush();
    log.done();
    await flushed;
  });

  test('appends at once when a hundred wait', async () => {
    const log = slowLog();
    const writer = createEventWriter({ append: log.append, mask: (text) => text, onFailure: ignore });
    for (let number = 0; number < 250; number += 1) writer.write(warning(String(number)));
    expect(log.batches.map(({ length }) => length)).toEqual([100]);
    const flushed = writer.flush();
    for (const _ of [1, 2]) {
      const next = log.next();
      log.done();
      await next;
    }
    log.done();
    await flushed;
    expect(log.batches.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  test('reports a failed append once, also to a flush, and takes no further events', async () => {
    const log = slowLog();
    const failures: unknown[] = [];
    const writer = createEventWriter({
      append: log.append,
      mask: (text) => text,
      onFailure: (error) => failures.push(error),
    });
    const error = new Error('the lease is lost');
    writer.write(warning('1'));
    const flushed = expect(writer.flush()).rejects.toBe(error);
    log.fail(error);
    await flushed;
    writer.write(warning('2'));
    await expect(writer.flush()).rejects.toBe(error);
    expect(failures).toEqual([error]);
    expect(log.batches).toHaveLength(1);
  });

  test('masks and cleans every text, however deep', async () => {
    const log = slowLog();
    const writer = createEventWriter({
      append: log.append,
      mask: (text) => text.replaceAll('secret', '***'),
      onFailure: ignore,
    });
    writer.write({
      kind: 'tool_call',
      data: { call_id: '1', name: 'run', title: 'a\0b', input: { list: [{ text: 'my secret' }] } },
    });
    const flushed = writer.flush();
    log.done();
    await flushed;
    expect(log.batches[0]).toEqual([
      {
        kind: 'tool_call',
        data: { call_id: '1', name: 'run', title: 'a\uFFFDb', input: { list: [{ text: 'my ***' }] } },
      },
    ]);
  });
});
