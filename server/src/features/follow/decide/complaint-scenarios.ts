import { build, fixing, red, scenario, type Scenario } from './scenario.ts';
import { change, check, finishTurn, look, push, review, settle } from './simulation.ts';

function failed(name: string) {
  const rest = { description: '', url: '', isRequired: undefined, endedAt: null } as const;
  return { id: `base-${name}`, name, state: 'failure', ...rest } as const;
}

export const complaints: Scenario[] = [
  scenario(
    '69 commits on one pull request: limits are in code',
    build((w) => {
      fixing(w, 'one', 'two', 'three');
      red(w, 'four');
    }),
    ['round ci', 'round ci', 'round ci'],
    'needs_person',
    'limit on rounds for checks is reached: 3',
  ),
  scenario(
    'two loops reset the counters of each other: one counter per change request',
    build(
      (w) => {
        fixing(w, 'one');
        review(w, 'ada', 'changes_requested', ['here'], 'Please.');
        settle(w);
        finishTurn(w, true);
        look(w, 2);
        red(w, 'two');
      },
      { pushes: 2 },
    ),
    ['round ci', 'round review', 'answer'],
    'needs_person',
    'pushed 2 times',
  ),
  scenario(
    'a push cancels a running review: a round is finished before the next begins',
    build((w) => {
      review(w, 'ada', 'changes_requested', ['here'], 'Please.');
      settle(w);
      push(w, 'person');
      check(w, 'test', 'failure');
      settle(w);
    }),
    ['round review'],
    'working',
  ),
  scenario(
    'fixing branches while main is broken: the base comes first',
    build((w) => {
      change(w, { baseChecks: [failed('test')] });
      red(w);
      look(w, 20);
    }),
    ['say'],
    'watching',
  ),
  scenario(
    'comments on lines and the summary as two tasks: one message per review, one answer each',
    build((w) => {
      review(w, 'ada', 'changes_requested', ['one', 'two'], 'Please.');
      settle(w);
      finishTurn(w, true);
      settle(w);
      settle(w);
    }),
    ['round review', 'answer'],
    'watching',
  ),
  scenario(
    'pushes that start no checks: said once after ten minutes',
    build((w) => {
      change(w, { baseChecks: [{ ...failed('test'), state: 'success' }] });
      settle(w);
      look(w, 11);
      look(w, 11);
    }),
    ['say'],
    'watching',
  ),
];
