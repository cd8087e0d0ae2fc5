import { Type, type Static } from 'typebox';
import {
  Body,
  explain,
  Id,
  named,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Principal,
  Timestamp,
} from '../../http/schema.ts';

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
      Type.String({ description: 'Why the command could not run, so that it proves nothing; absent when it ran.' }),
    ),
  }),
);
export type Evidence = Static<typeof Evidence>;

export const ChangeRequest = named(
  'ChangeRequest',
  Type.Object({
    id: Id,
    number: Type.Integer(),
    title: Type.String(),
    body: Type.String(),
    state: OneOf(['open', 'merged', 'closed']),
    draft: Type.Boolean(),
    head_ref: Type.String(),
    head_sha: Type.String(),
    base_ref: Type.String(),
    base_sha: Type.String({ description: 'Where the change begins: the merge base of head and base branch.' }),
    author: Principal,
    session_id: Type.String(),
    evidence: Type.Array(Evidence),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changed_files: Type.Integer(),
    mergeable: Type.Boolean({ description: 'Open, and its merge has no conflict.' }),
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
  kind: 'A `command` that was run, a `file` that the check used, or a `note`.',
  command: 'What the shell was given; of a file its path.',
  output_tail: 'The end of what it printed, stdout and stderr together, with secrets masked.',
  artifact_id: 'The artifact that holds all it printed; null where there is none.',
});
explain('ChangeRequest', {
  body: 'Markdown.',
  state: '`open` until it is `merged` or `closed`; both are final.',
  head_ref: 'The branch with the change.',
  head_sha: 'Its newest commit, or the one it was merged or closed at.',
  base_ref: 'The branch it is to be merged into.',
  author: 'Who opened it.',
  session_id: 'The session that made it; "" for none.',
  evidence: 'What its session showed: the commands that were run and the files that were used.',
  changed_files: 'How many files differ.',
  merged_at: 'When it was merged; null where it was not.',
});
explain('Diff', {
  base_commit: 'From here; "" where there is none.',
  head_commit: 'To here; "" where there is none.',
  files: 'The files that differ.',
  'files.path': 'Where the file is, or was before it was deleted.',
  'files.old_path': 'Where it was before it was renamed; "" otherwise.',
  'files.status': 'What became of it.',
  'files.binary': 'Whether it is no text; it has no `patch` then, and no lines are counted.',
  'files.patch': 'The change as a unified diff; "" for a binary file, and where it is too large to be shown.',
});
explain('MergeChangeRequestRequest', {
  method: '`merge`, unless given, makes a merge commit; `squash` one commit of all.',
});
