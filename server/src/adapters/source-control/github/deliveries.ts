import { Type, type TSchema } from 'typebox';
import type { HostEvent } from '../collaboration.ts';
import { fieldsOf, idIn, PositiveInteger, readPayload, Ref, RepoName, Sha } from '../payload.ts';
import type { SourceControl, WebhookDelivery } from '../port.ts';

const repository = Type.Object({ full_name: RepoName });
const zeros = '0'.repeat(40);
const Push = Type.Object({
  repository,
  ref: Ref,
  before: Type.Union([Sha, Type.Literal(zeros)]),
  after: Type.Union([Sha, Type.Literal(zeros)]),
});
const action = Type.String({ maxLength: 100 });
const PullRequest = Type.Object({ repository, action, pull_request: Type.Object({ number: PositiveInteger }) });
const Issue = Type.Object({
  repository,
  action,
  issue: Type.Object({ number: PositiveInteger, pull_request: Type.Optional(Type.Object({})) }),
});
const RepositoryChange = Type.Object({
  action,
  repository: Type.Object({ full_name: RepoName, name: Type.String(), owner: Type.Object({ login: Type.String() }) }),
});
const Former = Type.Object({
  changes: Type.Object({
    repository: Type.Optional(Type.Object({ name: Type.Object({ from: Type.String() }) })),
    owner: Type.Optional(Type.Object({ from: Type.Record(Type.String(), Type.Unknown()) })),
  }),
});

/** Reads one kind of delivery. */
type Reader = (payload: unknown, event: string) => HostEvent[];

const checks =
  (of: string, field: string): Reader =>
  (payload, event) => {
    const fields: Record<string, TSchema> = of === '' ? { [field]: Sha } : { [of]: Type.Object({ [field]: Sha }) };
    fieldsOf(Type.Object({ repository, ...fields }), payload, event);
    const { repository: at, ...rest } = Object(payload);
    return [{ type: 'checks', repo: at.full_name, headSha: of === '' ? rest[field] : rest[of][field] }];
  };

const onPullRequest =
  (type: 'comment' | 'review'): Reader =>
  (payload, event) => {
    const { repository: at, pull_request: pull } = fieldsOf(PullRequest, payload, event);
    return [{ type, repo: at.full_name, on: 'change_request', number: pull.number }];
  };

const readers: Readonly<Record<string, Reader>> = {
  push(payload, event) {
    const { repository: at, ref, before, after } = fieldsOf(Push, payload, event);
    return [{ type: 'push', repo: at.full_name, ref, before, after }];
  },
  pull_request(payload, event) {
    const { repository: at, action: what, pull_request: pull } = fieldsOf(PullRequest, payload, event);
    const change = what === 'opened' ? 'opened' : 'changed';
    return [{ type: 'change_request', repo: at.full_name, action: change, number: pull.number }];
  },
  pull_request_review: onPullRequest('review'),
  pull_request_review_comment: onPullRequest('comment'),
  pull_request_review_thread: onPullRequest('comment'),
  issue_comment(payload, event) {
    const { repository: at, issue } = fieldsOf(Issue, payload, event);
    const on = issue.pull_request === undefined ? 'issue' : 'change_request';
    return [{ type: 'comment', repo: at.full_name, on, number: issue.number }];
  },
  issues(payload, event) {
    const { repository: at, action: what, issue } = fieldsOf(Issue, payload, event);
    return [
      { type: 'issue', repo: at.full_name, action: what === 'opened' ? 'opened' : 'changed', number: issue.number },
    ];
  },
  check_run: checks('check_run', 'head_sha'),
  check_suite: checks('check_suite', 'head_sha'),
  workflow_run: checks('workflow_run', 'head_sha'),
  status: checks('', 'sha'),
  repository(payload, event) {
    const { action: what, repository: at } = fieldsOf(RepositoryChange, payload, event);
    if (what === 'deleted') return [{ type: 'repository', repo: at.full_name, newRepo: '' }];
    if (what !== 'renamed' && what !== 'transferred') return [];
    const { changes } = fieldsOf(Former, payload, event);
    const name = changes.repository?.name.from ?? at.name;
    const { user, organization } = changes.owner?.from ?? {};
    const owner = String(Object(user ?? organization).login ?? at.owner.login);
    return [{ type: 'repository', repo: `${owner}/${name}`, newRepo: at.full_name }];
  },
  installation: () => [{ type: 'connection' }],
  installation_repositories: () => [{ type: 'connection' }],
};

export function githubDeliveryId(delivery: WebhookDelivery): string {
  return idIn(delivery, ['x-github-delivery']);
}

export const readGithubDelivery: NonNullable<SourceControl['readDelivery']> = async (delivery) => {
  const event = delivery.headers['x-github-event'] ?? '';
  const reader = Object.hasOwn(readers, event) ? readers[event] : undefined;
  return reader === undefined ? [] : reader(await readPayload(delivery), event);
};
