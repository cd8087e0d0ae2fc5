import { expect, test } from 'vitest';
import { serveMetrics } from './metrics-server.ts';
import { createMetrics } from './metrics.ts';

test('a gauge with a label has a line for each present value, and none for a past one', async () => {
  let values = new Map([
    ['one', 2],
    ['two', 5],
  ]);
  const metrics = createMetrics({ tasks: { help: 'Tasks.', label: 'task', read: async () => values } });
  const { url, close } = await serveMetrics(0, metrics.text);
  const lines = async () => (await (await fetch(url)).text()).split('\n').filter((line) => line.startsWith('tasks{'));
  expect(await lines()).toEqual(['tasks{task="one"} 2', 'tasks{task="two"} 5']);
  values = new Map([['two', 6]]);
  expect(await lines()).toEqual(['tasks{task="two"} 6']);
  await close();
});
