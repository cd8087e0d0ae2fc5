import { expect, test } from 'vitest';
import { acpPresets } from '../../lib/agent-config.ts';
import { agentRuntimes } from './runtimes.ts';

test('lists every runtime, and what does not work says why', async () => {
  const rows = await agentRuntimes({ version: '1.2.3', modelProblem: '' });
  expect(rows.map(({ id }) => id)).toEqual([
    'builtin',
    'script',
    ...acpPresets.filter((preset) => preset !== 'custom'),
  ]);
  for (const { installed, problem, version } of rows) {
    expect(installed).toBe(problem === '');
    expect(version).toBe(installed ? '1.2.3' : '');
  }
});

test('the built-in agent without a model within reach says what is missing', async () => {
  const [builtin] = await agentRuntimes({ version: '1.2.3', modelProblem: 'No model.' });
  expect(builtin).toMatchObject({ id: 'builtin', installed: true, problem: 'No model.' });
});
