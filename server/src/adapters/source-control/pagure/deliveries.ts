import { Type, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { HostEvent } from '../collaboration.ts';
import { fieldsOf, PositiveInteger, readPayload, Sha } from '../payload.ts';
import type { SourceControl, WebhookDelivery } from '../port.ts';
import { repoOf } from './project.ts';

const Name = Type.String({ pattern: '^[^\\x00-\\x20]{1,240}$' });
const Message = Type.Object({ topic: Type.String(), msg: Type.Object({ project_fullname: Type.String() }) });
const Received = Type.Object({
  branch: Name,
  old_commit: Type.Optional(Type.String()),
  end_commit: Sha,
});
const BranchChange = Type.Object({ branch: Name, rev: Sha });
const TagChange = Type.Object({ tag: Name, rev: Sha });
const PullRequest = Type.Object({ pullrequest: Type.Object({ id: PositiveInteger }) });
const PullFlag = Type.Object({ pullrequest: Type.Object({ commit_stop: Sha }) });
const CommitFlag = Type.Object({ flag: Type.Object({ commit_hash: Sha }) });
const Issue = Type.Object({ issue: Type.Object({ id: PositiveInteger }) });
const zeros = '0'.repeat(40);

/** Reads one kind of message about a repository. */
type Reader = (message: unknown, repo: string, topic: string) => HostEvent[];

const refChange =
  (schema: TSchema, kind: 'heads' | 'tags', isDeletion: boolean): Reader =>
  (message, repo, topic) => {
    fieldsOf(schema, message, topic);
    const { branch, tag, rev } = Object(message);
    const [before, after] = isDeletion ? [rev, zeros] : [zeros, rev];
    return [{ type: 'push', repo, ref: `refs/${kind}/${branch ?? tag}`, before, after }];
  };

const readers: readonly (readonly [topic: RegExp, read: Reader])[] = [
  [
    /^git\.receive$/,
    (message, repo, topic) => {
      const { branch, old_commit: old = '', end_commit: after } = fieldsOf(Received, message, topic);
      return [{ type: 'push', repo, ref: `refs/heads/${branch}`, before: Value.Check(Sha, old) ? old : '', after }];
    },
  ],
  [/^git\.branch\.creation$/, refChange(BranchChange, 'heads', false)],
  [/^git\.branch\.deletion$/, refChange(BranchChange, 'heads', true)],
  [/^git\.tag\.creation$/, refChange(TagChange, 'tags', false)],
  [/^git\.tag\.deletion$/, refChange(TagChange, 'tags', true)],
  [
    /^pull-request\.flag\.(?:added|updated)$/,
    (message, repo, topic) => [
      { type: 'checks', repo, headSha: fieldsOf(PullFlag, message, topic).pullrequest.commit_stop },
    ],
  ],
  [
    /^commit\.flag\.(?:added|updated)$/,
    (message, repo, topic) => [
      { type: 'checks', repo, headSha: fieldsOf(CommitFlag, message, topic).flag.commit_hash },
    ],
  ],
  [
    /^pull-request\.comment\./,
    (message, repo, topic) => {
      const { pullrequest } = fieldsOf(PullRequest, message, topic);
      return [{ type: 'comment', repo, on: 'change_request', number: pullrequest.id }];
    },
  ],
  [
    /^pull-request\./,
    (message, repo, topic) => {
      const { pullrequest } = fieldsOf(PullRequest, message, topic);
      const action = topic === 'pull-request.new' ? 'opened' : 'changed';
      return [{ type: 'change_request', repo, action, number: pullrequest.id }];
    },
  ],
  [
    /^issue\.comment\./,
    (message, repo, topic) => {
      const { issue } = fieldsOf(Issue, message, topic);
      return [{ type: 'comment', repo, on: 'issue', number: issue.id }];
    },
  ],
  [
    /^issue\./,
    (message, repo, topic) => {
      const { issue } = fieldsOf(Issue, message, topic);
      return [{ type: 'issue', repo, action: topic === 'issue.new' ? 'opened' : 'changed', number: issue.id }];
    },
  ],
  [/^project\.deleted$/, (_, repo) => [{ type: 'repository', repo, newRepo: '' }]],
];

export const readPagureDelivery: NonNullable<SourceControl['readDelivery']> = async (delivery: WebhookDelivery) => {
  const { topic, msg } = fieldsOf(Message, await readPayload(delivery), 'a message');
  const repo = repoOf(msg.project_fullname);
  const found = readers.find(([pattern]) => pattern.test(topic));
  return repo === undefined || found === undefined ? [] : found[1](msg, repo, topic);
};
