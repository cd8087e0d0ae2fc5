import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  change,
  check,
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
import type { Action } from './types.ts';

/** The things that may happen to a change request. Nothing of it is an event of a webhook: a look reads the state, whichever events came. */
const events: ((world: World, n: number) => void)[] = [
  (world) => push(world, 'session'),
  (world) => push(world, 'person'),
  (world, n) => check(world, n % 2 === 0 ? 'test' : 'lint', 'failure', { error: `error ${n}` }),
  (world, n) => check(world, n % 2 === 0 ? 'test' : 'lint', 'success'),
  (world) => check(world, 'test', 'pending'),
  (world) => check(world, 'test', 'error'),
  (world, n) => change(world, { change: { ...world.facts.change, mergeable: n % 2 === 0 } }),
  (world, n) => change(world, { change: { ...world.facts.change, isBehind: n % 2 === 0 } }),
  (world, n) => say(world, ['ada', 'bob', 'mallory', 'guildhall[bot]'][n % 4] ?? 'ada', `say ${n}`),
  (world, n) => review(world, n % 2 === 0 ? 'ada' : 'lint[bot]', 'changes_requested', ['one', 'two'], 'Please.'),
  (world) => review(world, 'ada', 'approved'),
  (world) => resolveThreads(world),
  (world, n) => label(world, ...(n % 2 === 0 ? ['guildhall:hold'] : [])),
  (world, n) => say(world, 'ada', n % 2 === 0 ? '@guildhall off' : '@guildhall on'),
  (world, n) => finishTurn(world, n % 2 === 0),
  (world, n) => finishTurn(world, n % 2 === 0),
  (world) => sessionIs(world, 'busy'),
  (world) => sessionIs(world, 'waiting'),
  (world) => sessionIs(world, 'failed', { blocked: 'The push was refused.', failure: 'push_failed' }),
  (world) => sessionIs(world, 'waiting', { hasBudget: false }),
  (world) => sessionIs(world, 'idle', { hasBudget: true }),
  (world, n) => sessionIs(world, n % 2 === 0 ? 'canceled' : 'gone'),
  (world, n) => change(world, { weakened: n % 2 === 0 ? ['a.test.js'] : [] }),
  (world, n) => {
    world.unread = n % 2 === 0 ? 'It is too large.' : '';
  },
  (world) => {
    if (world.row.state === 'paused' || world.row.state === 'needs_person')
      world.row = { ...world.row, state: 'watching', reason: '' };
  },
];

const step = fc.record({
  event: fc.integer({ min: 0, max: events.length - 1 }),
  n: fc.integer({ min: 0, max: 9 }),
  minutes: fc.integer({ min: 0, max: 90 }),
  looks: fc.integer({ min: 0, max: 3 }),
  // The host tells of an older state first, and a process decides by it that is ended before it records the decision.
  isLate: fc.boolean(),
});
const policy = fc.record({
  ci_rounds: fc.integer({ min: 0, max: 3 }),
  review_rounds: fc.integer({ min: 0, max: 3 }),
  conflict_rounds: fc.integer({ min: 0, max: 2 }),
  pushes: fc.integer({ min: 0, max: 8 }),
  hours: fc.integer({ min: 1, max: 40 }),
  auto_merge: fc.constantFrom('off', 'provider'),
  update: fc.constantFrom('conflict', 'behind', 'never'),
});

test('no sequence of events exceeds a limit, or does anything twice', () => {
  const property = fc.property(
    policy,
    fc.integer({ min: 0, max: 6 }),
    fc.boolean(),
    fc.array(step, { maxLength: 60 }),
    (rules, maxRounds, mergesItself, steps) => {
      const world = newWorld({ ...rules, trusted_bots: ['lint[bot]'] }, { maxRounds, mergesItself });
      for (const { event, n, minutes, looks, isLate } of steps) {
        const before = world.facts;
        events[event]?.(world, n);
        if (isLate) lookKilled(world, before);
        for (let again = 0; again <= looks; again += 1) {
          const begun = world.actions.length;
          look(world, again === 0 ? minutes : 0);
          requireAllowed(world, world.actions.slice(begun));
          requireLimits(world, maxRounds);
          requireJudged(world);
        }
      }
    },
  );
  fc.assert(property, { numRuns: 500 });
});

/** A process decides by what the host said before, and ends before it records that: nothing remains of it. */
function lookKilled(world: World, facts: World['facts']): void {
  look({ ...world, facts, actions: [...world.actions], states: [...world.states] });
}

/** A round begins only within the hours, pushes and budget, and while a session can do it. */
function requireAllowed({ policy: rules, facts, row }: World, actions: readonly Action[]): void {
  const rounds = actions.filter(({ type }) => type === 'message');
  expect(rounds.length).toBeLessThanOrEqual(1);
  if (rounds.length === 0) return;
  const { now, session } = facts;
  expect(now).toBeLessThan(row.memory.since + rules.hours * 3_600_000);
  expect(row.memory.pushes).toBeLessThan(rules.pushes);
  // The message made it busy.
  expect([session.hasBudget, session.state]).toEqual([true, 'busy']);
}

/** The host may merge by itself only the present head, of a session that is done. */
function requireJudged({ policy: rules, facts: { autoMerge, change: now, session }, row }: World): void {
  if (autoMerge.sha === '') return;
  expect([rules.auto_merge, autoMerge.sha, session.state]).toEqual(['provider', now.headSha, 'idle']);
  expect(['ready', 'watching']).toContain(row.state);
}

function requireLimits({ policy: rules, actions, row }: World, maxRounds: number): void {
  const rounds = actions
    .filter((action) => action.type === 'message')
    .map(({ round, ids }) => ({ kind: round.kind, ids, key: round.key }));
  const count = (...kinds: string[]): number => rounds.filter(({ kind }) => kinds.includes(kind)).length;
  // A person's commit or review resets the limit once.
  expect(count('ci')).toBeLessThanOrEqual(rules.ci_rounds * 2);
  expect(count('review', 'comment')).toBeLessThanOrEqual(rules.review_rounds);
  expect(count('conflict')).toBeLessThanOrEqual(rules.conflict_rounds);
  if (maxRounds > 0) expect(rounds.length).toBeLessThanOrEqual(maxRounds);
  const reruns = actions.flatMap((action) => (action.type === 'rerun' ? [action] : []));
  expect(reruns.flatMap(({ checkIds }) => checkIds).length).toBeLessThanOrEqual(3);
  expect(row.memory.rounds).toBe(rounds.length);
  // Nothing is done, said or handed to the session twice, and each round is answered once, or said to have failed once.
  requireUnique(actions.map(({ key }) => key));
  requireUnique(rounds.flatMap(({ ids }) => ids));
  requireUnique(reruns.map(({ key }) => key));
  requireUnique(actions.flatMap((action) => (action.type === 'answer' ? [action.roundKey] : [])));
  const failed = actions.filter(({ key }) => key.startsWith('say:unanswered:'));
  expect(failed.length).toBeLessThanOrEqual(count('review', 'comment'));
}

function requireUnique(keys: readonly string[]): void {
  expect(new Set(keys).size).toBe(keys.length);
}
