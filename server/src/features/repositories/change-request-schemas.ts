import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  named,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Principal,
  Timestamp,
} from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';

export const Evidence = named(
  'Evidence',
  Type.Object({
    kind: OneOf(['command', 'file', 'note']),
    command: Type.String(),
    exit_code: NullableInteger,
    duration_ms: Type.Integer(),
    output_tail: Type.String(),
    artifact_id: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    problem: Type.Optional(
      Type.String({ description: 'Why the command could not run, so that it proves nothing; absent if it ran.' }),
    ),
  }),
);
export type Evidence = Static<typeof Evidence>;

export const reviewStates = ['', 'approved', 'changes_requested', 'commented'] as const;

export type ReviewState = (typeof reviewStates)[number];

export const checkSummary = Type.Object({
  state: OneOf(['none', 'pending', 'success', 'failure']),
  failing: Type.Array(Type.String()),
});
export const CheckSummary = named('CheckSummary', checkSummary);

export type CheckSummary = Static<typeof CheckSummary>;

export const followStates = ['off', 'watching', 'working', 'ready', 'needs_person', 'paused', 'ended'] as const;

export const followSummary = Type.Object({ state: OneOf(followStates), rounds: Type.Integer() });
export const FollowSummary = named('FollowSummary', followSummary);

export type FollowSummary = Static<typeof FollowSummary>;

export const ChangeRequest = named(
  'ChangeRequest',
  Type.Object({
    id: Id,
    repository_id: Id,
    provider: OneOf(providers),
    repo: Type.String(),
    number: Type.Integer(),
    title: Type.String(),
    body: Type.String(),
    state: OneOf(['open', 'merged', 'closed']),
    draft: Type.Boolean(),
    head_ref: Type.String(),
    head_sha: Type.String(),
    base_ref: Type.String(),
    base_sha: Type.String({ description: 'The merge base of head and base branch.' }),
    author: Principal,
    session_id: Type.String(),
    evidence: Type.Array(Evidence),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changed_files: Type.Integer(),
    mergeable: Type.Boolean({ description: 'True if it is open and merges without conflicts.' }),
    checks: CheckSummary,
    review_state: OneOf(reviewStates),
    follow: FollowSummary,
    url: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
    merged_at: NullableTimestamp,
  }),
);

export const DiffShape = Type.Object({
  base_commit: Type.String(),
  head_commit: Type.String(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      old_path: Type.String(),
      status: OneOf(['added', 'modified', 'deleted', 'renamed']),
      binary: Type.Boolean(),
      additions: Type.Integer(),
      deletions: Type.Integer(),
      patch: Type.String(),
    }),
  ),
});
export const Diff = named('Diff', DiffShape);
export type Diff = Static<typeof DiffShape>;

export const MergeChangeRequest = Body({ method: Type.Optional(OneOf(['merge', 'squash'])) });
export const CloseChangeRequest = Body({});

explain('Evidence', {
  kind: 'A `command` that ran, a `file` that the check used, or a `note`.',
  command: 'The shell command; for a file its path.',
  output_tail: 'The end of its output, stdout and stderr together, with secrets masked.',
  artifact_id: 'The artifact with its full output; null for none.',
});
explain('ChangeRequest', {
  repository_id: 'Its repository.',
  repo: 'Its repository as `owner/name`.',
  body: 'Markdown.',
  state: '`open` until it is `merged` or `closed`; both are final.',
  head_ref: 'The branch with the change.',
  head_sha: 'The newest commit, or the one at which it was merged or closed.',
  base_ref: 'The branch to merge into.',
  author: 'Who opened it.',
  session_id: 'The session that opened it; "" for none. Those that continue it show it too.',
  evidence: "The commands and files that support its session's result.",
  changed_files: 'Number of changed files.',
  merged_at: 'When it was merged; null if it was not.',
  checks: 'The checks of its head when they were last read.',
  review_state: 'What its reviews say together; "" without any, and if it is not followed.',
  follow: 'How it is followed until it merges.',
});
explain('CheckSummary', {
  state: '`none` without checks, and if the change request is not followed; `pending` while one runs and none failed.',
  failing: 'Names of failed checks.',
});
explain('FollowSummary', {
  state: '`off` if it is not followed.',
  rounds: 'How often its session was sent back to work.',
});
explain('Diff', {
  base_commit: 'Start of the diff; "" for none.',
  head_commit: 'End of the diff; "" for none.',
  files: 'The changed files.',
  'files.path': "The file's path, before its deletion if it was deleted.",
  'files.old_path': 'Its path before a rename; "" otherwise.',
  'files.status': 'The kind of change.',
  'files.binary': 'True for a binary file, which has no `patch` and no line counts.',
  'files.patch': 'The change as a unified diff; "" for a binary file, if it is too large, and with `summary=true`.',
});
explain('MergeChangeRequestRequest', {
  method: '`merge` creates a merge commit; `squash` one commit of all changes.',
});
defaults('MergeChangeRequestRequest', { method: 'merge' });
