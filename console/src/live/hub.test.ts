import { expect, test } from 'vitest';
import { Hub, type ToTab } from './hub.ts';
import type { LiveOptions } from './stream.ts';

const url = '/events/stream';

/** A hub whose streams are only noted, and tabs that note what they are told. */
function setUp() {
  const streams: (LiveOptions & { end: () => void })[] = [];
  const hub = new Hub((options) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    streams.push({ ...options, end: resolve });
    return promise;
  });
  const open = () => {
    const told: ToTab[] = [];
    const tab = { postMessage: (message: ToTab) => void told.push(message) };
    hub.hear(tab, { kind: 'follow', url });
    return { tab, told };
  };
  return { hub, streams, open };
}

test('tabs share a stream, and the first may leave', () => {
  const { hub, streams, open } = setUp();
  const [first, second] = [open(), open()];
  streams[0]?.onConnection(true);
  const third = open();
  hub.hear(first.tab, { kind: 'leave' });
  streams[0]?.onEvent('reset');
  expect(streams).toHaveLength(1);
  expect(first.told).toEqual([{ kind: 'connection', isOpen: true }]);
  const both = [
    { kind: 'connection', isOpen: true },
    { kind: 'event', event: 'reset' },
  ];
  expect([second.told, third.told]).toEqual([both, both]);
});

test('a stream ends with its last tab, and the next one opens another', () => {
  const { hub, streams, open } = setUp();
  const { tab } = open();
  hub.hear(tab, { kind: 'leave' });
  expect(streams[0]?.signal.aborted).toBe(true);
  open();
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});

test('a stream that the server refused is opened again for who comes next', async () => {
  const { streams, open } = setUp();
  open();
  streams[0]?.end();
  await Promise.resolve();
  await Promise.resolve();
  open();
  expect(streams).toHaveLength(2);
});

test('every tab tells of the network, and the stream hears it once', () => {
  const { hub, streams, open } = setUp();
  const tabs = [open().tab, open().tab];
  const heard: string[] = [];
  for (const news of ['offline', 'online', 'seen'] as const)
    streams[0]?.line.addEventListener(news, () => heard.push(news));
  for (const is of ['offline', 'online', 'seen'] as const) for (const tab of tabs) hub.hear(tab, { kind: 'line', is });
  expect(heard).toEqual(['offline', 'online', 'seen', 'seen']);
});
