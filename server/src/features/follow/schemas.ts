import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  named,
  NullableTimestamp,
  OneOf,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { CheckSummary, reviewStates } from '../repositories/change-request-schemas.ts';

const modes = ['off', 'notify', 'fix'] as const;
export const followStates = ['watching', 'working', 'ready', 'needs_person', 'paused', 'ended'] as const;
export type FollowState = (typeof followStates)[number];
const mentionModes = ['off', 'start'] as const;
const followActions = ['watch', 'pause', 'resume', 'end'] as const;

const policy = {
  mode: OneOf(modes),
  ci_rounds: Type.Integer({ minimum: 0, maximum: 20 }),
  review_rounds: Type.Integer({ minimum: 0, maximum: 50 }),
  conflict_rounds: Type.Integer({ minimum: 0, maximum: 20 }),
  pushes: Type.Integer({ minimum: 0, maximum: 100 }),
  hours: Type.Integer({ minimum: 1, maximum: 2_160 }),
  update: OneOf(['conflict', 'behind', 'never']),
  resolve_threads: OneOf(['bots', 'all', 'none']),
  auto_merge: OneOf(['off', 'provider']),
  trusted_bots: Type.Array(Text(100, { minLength: 1 }), { maxItems: 50, uniqueItems: true }),
  mentions: OneOf(mentionModes),
};
const fields = Type.Object(policy);
export type Policy = Static<typeof fields>;

export const FollowPolicy = record(
  'FollowPolicy',
  Type.Object({ repository_id: Id, ...policy, updated_at: NullableTimestamp }),
);

export const ReplaceFollowPolicy = Body({
  mode: Type.Optional(policy.mode),
  ci_rounds: Type.Optional(policy.ci_rounds),
  review_rounds: Type.Optional(policy.review_rounds),
  conflict_rounds: Type.Optional(policy.conflict_rounds),
  pushes: Type.Optional(policy.pushes),
  hours: Type.Optional(policy.hours),
  update: Type.Optional(policy.update),
  resolve_threads: Type.Optional(policy.resolve_threads),
  auto_merge: Type.Optional(policy.auto_merge),
  trusted_bots: Type.Optional(policy.trusted_bots),
  mentions: Type.Optional(policy.mentions),
});
export type ReplaceFollowPolicy = Static<typeof ReplaceFollowPolicy>;

/** The policy of a repository without one of its own. */
export const defaultPolicy: Policy = {
  mode: 'fix',
  ci_rounds: 3,
  review_rounds: 5,
  conflict_rounds: 2,
  pushes: 8,
  hours: 72,
  update: 'conflict',
  resolve_threads: 'bots',
  auto_merge: 'off',
  trusted_bots: [],
  mentions: 'off',
};

export const Follow = named(
  'Follow',
  Type.Object({
    repository_id: Id,
    number: Type.Integer(),
    state: OneOf(['off', ...followStates]),
    reason: Type.String(),
    session_id: Type.String(),
    head_sha: Type.String(),
    checks: CheckSummary,
    review_state: OneOf(reviewStates),
    rounds: Type.Integer(),
    fixed: Type.Integer(),
    ci_rounds: Type.Integer(),
    review_rounds: Type.Integer(),
    conflict_rounds: Type.Integer(),
    pushes: Type.Integer(),
    reruns: Type.Integer(),
    since: NullableTimestamp,
    updated_at: Timestamp,
  }),
);

export const ActOnFollow = Body({
  action: OneOf(followActions),
  session_id: Type.Optional(Id),
});
export type ActOnFollow = Static<typeof ActOnFollow>;

const policyMeanings = {
  mode: 'What happens with a change request that a session opened: nothing (`off`), only notifications (`notify`), or its session also works on failing checks, reviews and conflicts (`fix`). Others are followed on request.',
  ci_rounds: 'The most rounds for failing checks. A commit or review of a person resets it once.',
  review_rounds: 'The most rounds for reviews and comments.',
  conflict_rounds: 'The most rounds for conflicts with the base branch.',
  pushes: 'The most pushes by the session while it follows.',
  hours: 'The longest time to follow, in hours.',
  update:
    'When the base branch is merged in: only for conflicts, also if the host refuses to merge a branch that is `behind`, or `never`.',
  resolve_threads: 'Threads that are resolved once a commit answered them: those that `bots` opened, `all`, or `none`.',
  auto_merge:
    'With `provider`, the git host merges by its own rules. The built-in host merges if the session verified a fix, all checks of the head succeeded, someone other than the requester approved, and no thread of a person is open.',
  trusted_bots: 'Accounts of programs whose reviews and comments the session answers.',
  mentions:
    'With `start`, a person with write access starts a session by a line that begins with `@guildhall`, in an issue or a comment at the git host. Not for the built-in host.',
};
explain('FollowPolicy', { repository_id: 'The repository that it holds for.', ...policyMeanings });
explain('ReplaceFollowPolicyRequest', policyMeanings);
defaults('ReplaceFollowPolicyRequest', defaultPolicy);
explain('Follow', {
  repository_id: 'The repository of the change request.',
  number: 'Of the change request.',
  state:
    '`working`: its session is at a round. `ready`: nothing is left but to merge. `needs_person`, `paused` and `ended`: see `reason`. `off`: not followed.',
  reason: 'Why it needs a person, is paused or ended; "" otherwise.',
  session_id: 'The session that works on it; "" for none.',
  head_sha: 'The head at the last look; "" before.',
  checks: 'The checks of that head.',
  review_state: 'What the reviews say together; "" without any.',
  rounds: 'Rounds of its session so far; never reset.',
  fixed: 'Rounds after which the checks succeeded, a conflict was gone, or a comment was answered.',
  ci_rounds: 'Rounds for failing checks that count against the limit.',
  review_rounds: 'Rounds for reviews and comments.',
  conflict_rounds: 'Rounds for conflicts.',
  pushes: 'Pushes by its session.',
  reruns: 'Checks that were run again because they looked unreliable.',
  since: 'When following began; null if it did not.',
});
explain('ActOnFollowRequest', {
  action: '`watch` begins or begins again, `pause` waits for `resume`, `end` is final until `watch`.',
  session_id: 'The session that works on it, for `watch`. Omit it for the one that opened the change request.',
});
