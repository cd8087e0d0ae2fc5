import type { Schemas } from '../../lib/api.ts';
import type { Follow } from './queries.ts';

type Said = Pick<Follow, 'checks' | 'review_state'>;
type News = Pick<Schemas['ChangeRequest'], 'state' | 'draft'> & Partial<Said> & { follow?: Pick<Follow, 'state'> };

/** A state in words, and its color. */
export interface Word {
  word: string;
  tone: 'plain' | 'wait' | 'bad' | 'run';
}

export const stateWords: Record<Follow['state'], Word> = {
  off: { word: 'Not followed', tone: 'plain' },
  watching: { word: 'Watching', tone: 'run' },
  working: { word: 'Working on it', tone: 'run' },
  ready: { word: 'Ready to merge', tone: 'run' },
  needs_person: { word: 'Needs a person', tone: 'wait' },
  paused: { word: 'Paused', tone: 'plain' },
  ended: { word: 'No longer followed', tone: 'plain' },
};

/** The states that a list can be filtered by, with their words. */
export const followOptions: readonly (readonly [Follow['state'], string])[] = [
  ['needs_person', stateWords.needs_person.word],
  ['ready', stateWords.ready.word],
  ['working', stateWords.working.word],
  ['watching', stateWords.watching.word],
  ['paused', stateWords.paused.word],
  ['ended', stateWords.ended.word],
  ['off', stateWords.off.word],
];

const reviewWords: Record<Follow['review_state'], string> = {
  '': '',
  approved: 'approved',
  changes_requested: 'changes requested',
  commented: 'commented',
};

/** Returns what the host says of the head: `checks failed: lint, test · changes requested`; '' for nothing. */
export function hostWords({ checks: { state, failing }, review_state: review }: Said): string {
  return [checkWords(state, failing), reviewWords[review]].filter((part) => part !== '').join(' · ');
}

function checkWords(state: Follow['checks']['state'], failing: readonly string[]): string {
  switch (state) {
    case 'none':
      return '';
    case 'pending':
      return 'checks run';
    case 'success':
      return 'checks passed';
    case 'failure':
      return `checks failed: ${failing.slice(0, 5).join(', ')}${failing.length > 5 ? ` and ${failing.length - 5} more` : ''}`;
  }
}

/** Returns what its session did: `3 rounds, 2 of them helped, 4 pushes`; '' before the first. */
export function roundWords({ rounds, fixed, pushes, reruns }: Follow): string {
  const counted = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? '' : 's'}`;
  const parts = [
    rounds === 0 ? '' : counted(rounds, 'round'),
    rounds === 0 ? '' : `${fixed} helped`,
    pushes === 0 ? '' : pushes === 1 ? '1 push' : `${pushes} pushes`,
    reruns === 0 ? '' : counted(reruns, 'check') + ' run again',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Returns what an event of a session's log says of a change request: `open · Working on it · checks failed: lint`. */
export function newsWords({ state, draft, follow, checks, review_state: review = '' }: News): string {
  const followed = follow === undefined || follow.state === 'off' ? '' : stateWords[follow.state].word;
  const said = checks === undefined ? '' : hostWords({ checks, review_state: review });
  const is = draft && state === 'open' ? 'draft' : state;
  return [is, followed, state === 'open' ? said : ''].filter((part) => part !== '').join(' · ');
}
