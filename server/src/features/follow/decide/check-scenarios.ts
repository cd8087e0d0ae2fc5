import { build, fixing, red, scenario, type Scenario } from './scenario.ts';
import { check, finishTurn, look, push, sessionIs, settle } from './simulation.ts';

export const checks: Scenario[] = [
  scenario(
    'no checks anywhere: ready',
    build((w) => settle(w)),
    [],
    'ready',
  ),
  scenario(
    'checks run: wait',
    build((w) => {
      check(w, 'test', 'pending');
      settle(w);
    }),
    [],
    'watching',
  ),
  scenario(
    'checks fail: one round',
    build((w) => red(w)),
    ['round ci'],
    'working',
  ),
  scenario(
    'checks fail and change within a minute: no round yet',
    build((w) => {
      check(w, 'test', 'failure');
      look(w);
      check(w, 'lint', 'failure');
      look(w, 0.5);
    }),
    [],
    'watching',
  ),
  scenario(
    'red, fixed, green: ready',
    build((w) => {
      fixing(w, 'boom');
      check(w, 'test', 'success');
      settle(w);
    }),
    ['round ci'],
    'ready',
  ),
  scenario(
    'its push is seen before the session has recorded it: it counts as its own',
    build((w) => {
      for (const error of ['one', 'two', 'three']) {
        red(w, error);
        push(w, 'person');
        look(w);
        sessionIs(w, 'idle', { pushedSha: w.facts.change.headSha });
        look(w, 2);
      }
      red(w, 'four');
    }),
    ['round ci', 'round ci', 'round ci'],
    'needs_person',
    'The limit on rounds for checks',
  ),
  scenario(
    'the same failure after a fix: a person at once',
    build((w) => {
      fixing(w, 'boom');
      red(w);
    }),
    ['round ci'],
    'needs_person',
    'The same failure',
  ),
  scenario(
    'the session changes nothing: a person',
    build((w) => {
      red(w);
      finishTurn(w, false);
      look(w, 2);
    }),
    ['round ci'],
    'needs_person',
    'changed nothing',
  ),
  scenario(
    'one of two failed while the other runs: wait ten minutes',
    build((w) => {
      check(w, 'test', 'failure', { isRequired: true });
      check(w, 'slow', 'pending');
      settle(w);
    }),
    [],
    'watching',
  ),
  scenario(
    'a required one failed ten minutes ago: judged',
    build((w) => {
      check(w, 'test', 'failure', { isRequired: true });
      check(w, 'slow', 'pending');
      look(w);
      look(w, 11);
    }),
    ['round ci'],
    'working',
  ),
  scenario(
    'it passed before on this head: run again once, then a round',
    build((w) => {
      check(w, 'test', 'success');
      look(w);
      red(w);
      check(w, 'test', 'failure', { error: 'boom' });
      settle(w);
    }),
    ['rerun', 'round ci'],
    'working',
  ),
  scenario(
    'the infrastructure failed: run again',
    build((w) => {
      check(w, 'test', 'error');
      settle(w);
    }),
    ['rerun'],
    'watching',
  ),
  scenario(
    'the infrastructure failed where nothing can run again: a round',
    build(
      (w) => {
        check(w, 'test', 'error');
        settle(w);
      },
      {},
      { canRerun: false },
    ),
    ['round ci'],
    'working',
  ),
];
