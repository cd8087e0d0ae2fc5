import { describe, expect, test } from 'vitest';
import { scenarios, scenariosPage } from './scenarios.ts';
import { done } from './simulation.ts';

describe('the decision', () => {
  test.for(scenarios)('$name', ({ run, actions, state, reason = '' }) => {
    const world = run();
    expect({ actions: done(world), state: world.row.state }).toEqual({ actions, state });
    expect(world.row.reason).toContain(reason);
  });
});

test('the documentation has the scenarios, and what happens in each', async () => {
  await expect(scenariosPage()).toMatchFileSnapshot('../../../../../docs/follow-scenarios.md');
});
