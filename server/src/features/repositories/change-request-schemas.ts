import { Type, type Static } from 'typebox';
import { Body, Id, named, NullableInteger, NullableTimestamp, OneOf, Principal, Timestamp } from '../../http/schema.ts';

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
