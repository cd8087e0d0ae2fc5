import { Type, type Static } from 'typebox';

const Evidence = Type.Object({
  kind: Type.String(),
  command: Type.String(),
  exit_code: Type.Union([Type.Integer(), Type.Null()]),
  duration_ms: Type.Integer(),
  output_tail: Type.String(),
  artifact_id: Type.Union([Type.String(), Type.Null()]),
  problem: Type.Optional(Type.String()),
});
/** The fields of a session that these tests use. */
export const Session = Type.Object({
  id: Type.String(),
  prompt: Type.String(),
  status: Type.String(),
  status_detail: Type.String(),
  sandbox_state: Type.String(),
  verification: Type.String(),
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  attempt_no: Type.Integer(),
  phases: Type.Array(
    Type.Object({ name: Type.String(), status: Type.String(), summary: Type.String(), evidence: Type.Array(Evidence) }),
  ),
  repositories: Type.Array(
    Type.Object({ repo: Type.String(), base_ref: Type.String(), base_commit: Type.String(), branch: Type.String() }),
  ),
  change_requests: Type.Array(Type.Object({ number: Type.Integer(), state: Type.String(), draft: Type.Boolean() })),
});
export type TestSession = Static<typeof Session>;

const Event = Type.Object({
  seq: Type.Integer(),
  kind: Type.String(),
  phase: Type.String(),
  turn: Type.Integer(),
  attempt_no: Type.Integer(),
  created_at: Type.String(),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type TestEvent = Static<typeof Event>;
export const EventPage = Type.Object({
  items: Type.Array(Event),
  has_next_page: Type.Boolean(),
  end_cursor: Type.String(),
});
export const ChangeRequest = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  state: Type.String(),
  draft: Type.Boolean(),
  head_ref: Type.String(),
  head_sha: Type.String(),
  base_ref: Type.String(),
  evidence: Type.Array(Evidence),
  additions: Type.Integer(),
  changed_files: Type.Integer(),
});
