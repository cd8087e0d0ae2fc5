import { Type } from 'typebox';
import { explain, named, NullableInteger, NullableTimestamp, OneOf, Timestamp } from '../../../http/schema.ts';
import { phaseNames, phaseStatuses } from './session-schemas.ts';

/** An outline has at most this many events of a kind, the newest. */
export const mostOfKind = 500;
const markedKinds = [
  'message',
  'tool_result',
  'command',
  'approval',
  'budget',
  'warning',
  'error',
  'branch_pushed',
  'change_request',
  'artifact',
  'child',
  'structured_output',
] as const;
export type MarkedKind = (typeof markedKinds)[number];

export const Outline = named(
  'SessionOutline',
  Type.Object({
    turns: Type.Array(
      Type.Object({
        turn: Type.Integer(),
        seq: Type.Integer(),
        message_id: Type.String(),
        title: Type.String(),
        started_at: Timestamp,
      }),
    ),
    phases: Type.Array(
      Type.Object({
        name: OneOf(phaseNames),
        status: OneOf(phaseStatuses),
        summary: Type.String(),
        turn: Type.Integer(),
        seq: Type.Integer(),
        end_seq: NullableInteger,
        started_at: Timestamp,
        ended_at: NullableTimestamp,
      }),
    ),
    marks: Type.Array(Type.Object({ seq: Type.Integer(), kind: OneOf(markedKinds), title: Type.String() })),
    last_seq: Type.Integer({ minimum: 0 }),
    complete: Type.Boolean(),
  }),
);

explain('SessionOutline', {
  turns: 'The turns, oldest first.',
  'turns.turn': 'Number of the turn, from 1.',
  'turns.seq': 'The event with which it begins: the delivery of its first message.',
  'turns.message_id': 'The message that it begins with; its text is in an earlier event.',
  'turns.title': 'The beginning of that message; "" if it is no longer kept.',
  'turns.started_at': 'Time of its start.',
  phases: 'The phases, oldest first.',
  'phases.status': 'As in its last event.',
  'phases.summary': 'The beginning of its result; "" while it runs.',
  'phases.seq': 'The event with which it begins.',
  'phases.end_seq': 'The event with which it ends; null for none.',
  'phases.started_at': 'Time of its start.',
  'phases.ended_at': 'Time of its end; null for none.',
  marks: `Other events that a reader may look for, oldest first: messages of users, requested approvals, failed tool calls and commands, problems and results. Of each kind at most the newest ${mostOfKind}.`,
  'marks.seq': 'Number of the event.',
  'marks.kind': 'Its kind.',
  'marks.title': 'The beginning of its text, or a name; "" for none.',
  last_seq: 'The last event of the log that it includes.',
  complete: 'False if it leaves out old events, because there are too many.',
});
