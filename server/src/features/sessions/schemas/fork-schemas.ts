import { Type, type Static } from 'typebox';
import { Body, explain, Id, List, named, Text, Timestamp } from '../../../http/schema.ts';

const Checkpoint = named(
  'Checkpoint',
  Type.Object({
    id: Id,
    seq: Type.Integer(),
    turn: Type.Integer(),
    repo: Type.String(),
    commit: Type.String(),
    base_commit: Type.String(),
    created_at: Timestamp,
  }),
);
export const CheckpointList = List(Checkpoint);

export const ForkSession = Body({
  seq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  prompt: Type.Optional(Text(100_000, { minLength: 1, 'x-error-code': 'prompt_required' })),
});
export type ForkSession = Static<typeof ForkSession>;

explain('Checkpoint', {
  seq: 'Number of its event in the log.',
  turn: 'The turn that it was taken in; 0 for the one that a fork starts from.',
  repo: 'Its repository; "" for a workspace without one.',
  commit: 'The work as one commit on top of the base; "" before the first file of a workspace without a repository.',
  base_commit: 'The commit that the work started from.',
});
explain('ForkSessionRequest', {
  seq: 'An event of the session: the fork starts from the last checkpoint at or before it. Default: the newest one.',
  prompt: 'The first message to the fork. If omitted, the fork waits for one.',
});
