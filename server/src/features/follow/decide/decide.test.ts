import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenarios, scenariosPage } from './scenarios.ts';
import {
  change,
  check,
  done,
  finishTurn,
  label,
  look,
  newWorld,
  push,
  resolveThreads,
  review,
  say,
  sessionIs,
  type World,
} from './simulation.ts';

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

const events: ((world: World, n: number) => void)[] = [
  (world) => push(world, 'session'),
  (world) => push(world, 'person'),
  (world, n) => check(world, n % 2 === 0 ? 'test' : 'lint', 'failure', { error: `error ${n}` }),
  (world, n) => check(world, n % 2 === 0 ? 'test' : 'lint', 'success'),
  (world) => check(world, 'test', 'pending'),
  (world) => check(world, 'test', 'error'),
  (world, n) => change(world, { change: { ...world.facts.change, mergeable: n % 2 === 0 } }),
  (world, n) => say(world, ['ada', 'bob', 'mallory', 'guildhall[bot]'][n % 4] ?? 'ada', `say ${n}`),
  (world, n) => review(world, n % 2 === 0 ? 'ada' : 'lint[bot]', 'changes_requested', ['one', 'two'], 'Please.'),
  (world) => review(world, 'ada', 'approved'),
  (world) => resolveThreads(world),
  (world, n) => label(world, ...(n % 2 === 0 ? ['guildhall:hold'] : [])),
  (world, n) => say(world, 'ada', n % 2 === 0 ? '@guildhall off' : '@guildhall on'),
  (world, n) => finishTurn(world, n % 2 === 0),
  (world) => sessionIs(world, 'busy'),
  (world) => sessionIs(world, 'failed'),
  (world) => {
    if (world.row.state === 'paused' || world.row.state === 'needs_person')
      world.row = { ...world.row, state: 'watching', reason: '' };
  },
];

test('no sequence of events exceeds a limit, or does anything twice', () => {
  const step = fc.record({
    event: fc.integer({ min: 0, max: events.length - 1 }),
    n: fc.integer({ min: 0, max: 9 }),
    minutes: fc.integer({ min: 0, max: 30 }),
    looks: fc.integer({ min: 0, max: 3 }),
  });
  const policy = fc.record({
    ci_rounds: fc.integer({ min: 0, max: 3 }),
    review_rounds: fc.integer({ min: 0, max: 3 }),
    conflict_rounds: fc.integer({ min: 0, max: 2 }),
    pushes: fc.integer({ min: 0, max: 8 }),
    auto_merge: fc.constantFrom('off' as const, 'provider' as const),
  });
  const property = fc.property(
    policy,
    fc.integer({ min: 0, max: 6 }),
    fc.boolean(),
    fc.array(step, { maxLength: 60 }),
    (rules, maxRounds, mergesItself, steps) => {
      const world = newWorld({ ...rules, trusted_bots: ['lint[bot]'] }, { maxRounds, mergesItself });
      for (const { event, n, minutes, looks } of steps) {
        events[event]?.(world, n);
        for (let again = 0; again <= looks; again += 1) look(world, again === 0 ? minutes : 0);
        requireLimits(world, maxRounds);
        requireJudged(world);
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});

/** The host may merge by itself only the present head, of a session that is done. */
function requireJudged({ policy, facts: { autoMerge, change: now, session }, row }: World): void {
  if (autoMerge.sha === '') return;
  expect([policy.auto_merge, autoMerge.sha, session.state]).toEqual(['provider', now.headSha, 'idle']);
  expect(['ready', 'watching']).toContain(row.state);
}

function requireLimits(world: World, maxRounds: number): void {
  const { policy, actions } = world;
  const rounds = actions
    .filter((action) => action.type === 'message')
    .map(({ round, ids }) => ({ kind: round.kind, ids }));
  const count = (...kinds: string[]): number => rounds.filter(({ kind }) => kinds.includes(kind)).length;
  // A person's commit or review resets the limit once.
  expect(count('ci')).toBeLessThanOrEqual(policy.ci_rounds * 2);
  expect(count('review', 'comment')).toBeLessThanOrEqual(policy.review_rounds);
  expect(count('conflict')).toBeLessThanOrEqual(policy.conflict_rounds);
  if (maxRounds > 0) expect(rounds.length).toBeLessThanOrEqual(maxRounds);
  expect(actions.filter(({ type }) => type === 'rerun').length).toBeLessThanOrEqual(3);
  // Nothing is handed to the session twice, and each round is answered once.
  const handed = rounds.flatMap(({ ids }) => ids);
  expect(new Set(handed).size).toBe(handed.length);
  const answered = actions.flatMap((action) => (action.type === 'answer' ? [action.roundKey] : []));
  expect(new Set(answered).size).toBe(answered.length);
  expect(world.row.memory.rounds).toBe(rounds.length);
}
