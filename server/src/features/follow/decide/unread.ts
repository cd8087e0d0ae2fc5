import type { Policy } from '../schemas.ts';
import { isHeld } from './talk.ts';
import type { Action, Decision, Facts, Row } from './types.ts';

/** As long as the copies of repositories remember that one is too large; a copy up to the limit is much to ask for. */
const againMs = 60 * 60_000;

type Known = Pick<Facts, 'now' | 'autoMerge'> & {
  /** The reason why its repository cannot be read, and what to do. */
  readonly problem: string;
};

/**
 * Decides for an open change request whose repository cannot be copied from its host, so that nobody knows if it can merge: a
 * person is told. It is tried again every hour, and {@link readable} goes on once that succeeds.
 */
export function decideUnread(policy: Policy, before: Row, { now, autoMerge, problem }: Known): Decision {
  if (before.state === 'ended') return { row: before, actions: [], lookAt: null };
  const actions: Action[] =
    autoMerge.sha === '' ? [] : [{ key: `auto-merge-off:${autoMerge.offs}`, type: 'auto_merge_off' }];
  const lookAt = before.state === 'paused' && !isHeld(before) ? null : now + againMs;
  const waits = before.state === 'paused' || (before.state === 'needs_person' && !isUnread(before));
  if (waits || policy.mode === 'off') return { row: before, actions, lookAt };
  const reason = `${problem} Following tries again every hour.`;
  const memory = { ...before.memory, unread: reason, neededPerson: true };
  return { row: { ...before, state: 'needs_person', reason, memory }, actions, lookAt };
}

/** Returns a row as it continues once its repository was read. */
export function readable(row: Row): Row {
  const { unread: _, ...memory } = row.memory;
  return isUnread(row) ? { ...row, state: 'watching', reason: '', memory } : { ...row, memory };
}

function isUnread({ state, reason, memory }: Row): boolean {
  return state === 'needs_person' && reason === memory.unread;
}
