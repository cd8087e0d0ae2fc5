import { Type, type Static } from 'typebox';
import { Body, defaults, explain, Id, OneOf, Principal, record, Text, Timestamp } from '../../http/schema.ts';

const states = ['pending', 'success', 'failure', 'error', 'neutral'] as const;

export const Sha = Text(40, { pattern: '^[0-9a-f]{40}$', 'x-form': 'a full commit id: 40 hexadecimal digits' });

export const CommitStatus = record(
  'CommitStatus',
  Type.Object({
    id: Id,
    sha: Type.String(),
    name: Type.String(),
    state: OneOf(states),
    description: Type.String(),
    url: Type.String(),
    author: Principal,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

export const SetCommitStatus = Body({
  sha: Sha,
  name: Text(200, { minLength: 1 }),
  state: OneOf(states),
  description: Type.Optional(Text(1_000)),
  url: Type.Optional(Text(2_000, { pattern: '^(https?://.+)?$', 'x-form': 'a URL with http or https, or ""' })),
});
export type SetCommitStatus = Static<typeof SetCommitStatus>;

explain('CommitStatus', {
  sha: 'The commit.',
  name: 'The check that it is the status of, such as `ci/test`.',
  state: '`error` is a failure of the infrastructure, `failure` one of the commit. `neutral` neither passes nor fails.',
  description: 'What the check says, for people; "" for nothing.',
  url: 'The page about the check; "" for none.',
  author: 'Who set it first.',
  updated_at: 'When it was last set to something else.',
});
explain('SetCommitStatusRequest', {
  sha: 'The commit, which the repository must have.',
  name: 'The check, such as `ci/test`. A later status with the same name replaces this one.',
  state: '`error` is a failure of the infrastructure, `failure` one of the commit. `neutral` neither passes nor fails.',
  description: 'What the check says, for people.',
  url: 'The page about the check.',
});
defaults('SetCommitStatusRequest', { description: '', url: '' });
