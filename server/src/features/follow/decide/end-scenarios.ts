import { build, red, scenario, type Scenario } from './scenario.ts';
import { change, check, finishTurn, label, look, push, review, say, sessionIs, settle } from './simulation.ts';

const provider = { auto_merge: 'provider' } as const;
const tooLarge = 'The repository is too large.';

export const ends: Scenario[] = [
  scenario(
    'a conflict: the base is merged in',
    build((w) => {
      change(w, { change: { ...w.facts.change, mergeable: false } });
      settle(w);
    }),
    ['round conflict'],
    'working',
  ),
  scenario(
    'behind where the host refuses that, and the policy merges the base only for conflicts: a person',
    build((w) => {
      change(w, { change: { ...w.facts.change, isBehind: true } });
      settle(w);
    }),
    [],
    'needs_person',
  ),
  scenario(
    'behind where the host refuses that, with all else green: the base is merged in',
    build(
      (w) => {
        change(w, { change: { ...w.facts.change, isBehind: true } });
        settle(w);
      },
      { update: 'behind' },
    ),
    ['round conflict'],
    'working',
  ),
  scenario(
    'after 72 hours: a person',
    build((w) => {
      look(w);
      look(w, 73 * 60);
      red(w);
    }),
    [],
    'needs_person',
    '72 hours',
  ),
  scenario(
    'the budget is used up: a person, and never raised',
    build((w) => {
      sessionIs(w, 'idle', { hasBudget: false });
      red(w);
    }),
    [],
    'needs_person',
    'budget',
  ),
  scenario(
    'a fix that weakens tests: a person',
    build((w) => {
      red(w);
      finishTurn(w, true);
      change(w, { weakened: ['a.test.js'] });
      look(w, 2);
    }),
    ['round ci'],
    'needs_person',
    'a.test.js',
  ),
  scenario(
    'the repository is too large to be copied: a person, and the host may not merge meanwhile',
    build((w) => {
      settle(w);
      w.unread = tooLarge;
      settle(w);
    }, provider),
    ['auto_merge', 'auto_merge_off'],
    'needs_person',
    `${tooLarge} Following tries again every hour.`,
  ),
  scenario(
    'a round ends while the repository is too large: it goes on by itself once the limit is raised',
    build((w) => {
      red(w);
      w.unread = tooLarge;
      finishTurn(w, true);
      settle(w);
      w.unread = '';
      check(w, 'test', 'success');
      settle(w);
    }),
    ['round ci'],
    'ready',
  ),
  scenario(
    'paused by a person while the repository is too large: it stays paused',
    build((w) => {
      settle(w);
      w.unread = tooLarge;
      settle(w);
      w.row = { ...w.row, state: 'paused', reason: 'Ada paused it.' };
      settle(w);
      w.unread = '';
      settle(w);
    }),
    [],
    'paused',
    'Ada',
  ),
  scenario(
    'the policy only tells',
    build((w) => red(w), { mode: 'notify' }),
    [],
    'needs_person',
    'Checks fail',
  ),
  scenario(
    'auto-merge is the host’s',
    build((w) => settle(w), provider),
    ['auto_merge'],
    'ready',
  ),
  scenario(
    'a comment while auto-merge is on: it is off before the round begins, and on again for the commit that answers',
    build((w) => {
      settle(w);
      say(w, 'ada', 'Please rename this.');
      settle(w);
      finishTurn(w, true);
      settle(w);
    }, provider),
    ['auto_merge', 'auto_merge_off', 'round comment', 'answer', 'auto_merge'],
    'ready',
  ),
  scenario(
    'a message to the session while auto-merge is on, and its push fails: off, and a person',
    build((w) => {
      settle(w);
      sessionIs(w, 'busy');
      settle(w);
      sessionIs(w, 'failed', { blocked: 'The push was refused.' });
      settle(w);
    }, provider),
    ['auto_merge', 'auto_merge_off'],
    'needs_person',
    'The push was refused',
  ),
  scenario(
    'someone pushes while auto-merge is on: off, until that commit is judged',
    build((w) => {
      settle(w);
      push(w, 'person');
      check(w, 'test', 'pending');
      settle(w);
      check(w, 'test', 'success');
      settle(w);
    }, provider),
    ['auto_merge', 'auto_merge_off', 'auto_merge'],
    'ready',
  ),
  scenario(
    'a person holds it while auto-merge is on: off',
    build((w) => {
      settle(w);
      label(w, 'guildhall:hold');
      settle(w);
    }, provider),
    ['auto_merge', 'auto_merge_off'],
    'paused',
  ),
  scenario(
    'the built-in host merges what is verified, green and approved by another',
    build(
      (w) => {
        check(w, 'test', 'success');
        settle(w);
        review(w, 'bob', 'approved');
        settle(w);
        review(w, 'ada', 'approved');
        settle(w);
      },
      provider,
      { mergesItself: true },
    ),
    ['merge'],
    'ready',
  ),
  scenario(
    'a comment approves on the built-in host, but not that of the requester',
    build(
      (w) => {
        check(w, 'test', 'success');
        say(w, 'bob', '@guildhall approve');
        settle(w);
        say(w, 'ada', '@guildhall approve');
        settle(w);
      },
      provider,
      { mergesItself: true },
    ),
    ['merge'],
    'ready',
  ),
  scenario(
    'an approval of an older head does not merge',
    build(
      (w) => {
        review(w, 'ada', 'approved');
        push(w, 'session');
        check(w, 'test', 'success');
        settle(w);
      },
      provider,
      { mergesItself: true },
    ),
    [],
    'ready',
  ),
  scenario(
    'merged: it ends, and nothing follows',
    build((w) => {
      change(w, { change: { ...w.facts.change, state: 'merged' } });
      look(w);
      red(w);
    }),
    ['finish'],
    'ended',
    'merged',
  ),
];
