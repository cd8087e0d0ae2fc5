import { Type } from 'typebox';
import type { HostEvent } from '../collaboration.ts';
import { fieldsOf, idIn, PositiveInteger, readPayload, Ref, RepoName, Sha } from '../payload.ts';
import type { SourceControl, WebhookDelivery } from '../port.ts';

const project = Type.Object({ path_with_namespace: RepoName });
const Kind = Type.Object({ object_kind: Type.String() });
const Push = Type.Object({ project, ref: Ref, before: Sha, after: Sha });
const action = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Numbered = Type.Object({ project, object_attributes: Type.Object({ iid: PositiveInteger, action }) });
const numbered = Type.Optional(Type.Object({ iid: PositiveInteger }));
const Note = Type.Object({
  project,
  object_attributes: Type.Object({ noteable_type: Type.Union([Type.String(), Type.Null()]) }),
  merge_request: numbered,
  issue: numbered,
});
const Pipeline = Type.Object({ project, object_attributes: Type.Object({ sha: Sha }) });
const Job = Type.Object({ sha: Sha, project: Type.Optional(project) });

/** Reads one kind of delivery. */
type Reader = (payload: unknown, event: string) => HostEvent[];

const push: Reader = (payload, event) => {
  const { project: at, ref, before, after } = fieldsOf(Push, payload, event);
  return [{ type: 'push', repo: at.path_with_namespace, ref, before, after }];
};

const ofNumber =
  (type: 'change_request' | 'issue'): Reader =>
  (payload, event) => {
    const { project: at, object_attributes: about } = fieldsOf(Numbered, payload, event);
    const change = about.action === 'open' ? 'opened' : 'changed';
    return [{ type, repo: at.path_with_namespace, action: change, number: about.iid }];
  };

const readers: Readonly<Record<string, Reader>> = {
  push,
  tag_push: push,
  merge_request: ofNumber('change_request'),
  issue: ofNumber('issue'),
  work_item: ofNumber('issue'),
  note(payload, event) {
    const { project: at, merge_request: merge, issue } = fieldsOf(Note, payload, event);
    const repo = at.path_with_namespace;
    if (merge !== undefined) return [{ type: 'comment', repo, on: 'change_request', number: merge.iid }];
    return issue === undefined ? [] : [{ type: 'comment', repo, on: 'issue', number: issue.iid }];
  },
  pipeline(payload, event) {
    const { project: at, object_attributes: about } = fieldsOf(Pipeline, payload, event);
    return [{ type: 'checks', repo: at.path_with_namespace, headSha: about.sha }];
  },
  build(payload, event) {
    const { project: at, sha } = fieldsOf(Job, payload, event);
    return at === undefined ? [] : [{ type: 'checks', repo: at.path_with_namespace, headSha: sha }];
  },
};

/** The id that GitLab repeats when it delivers again; older versions send none. */
export function gitlabDeliveryId(delivery: WebhookDelivery): string {
  return idIn(delivery, ['idempotency-key', 'webhook-id']);
}

export const readGitlabDelivery: NonNullable<SourceControl['readDelivery']> = async (delivery) => {
  const payload = await readPayload(delivery);
  const { object_kind: event } = fieldsOf(Kind, payload, delivery.headers['x-gitlab-event'] ?? '');
  const reader = Object.hasOwn(readers, event) ? readers[event] : undefined;
  return reader === undefined ? [] : reader(payload, event);
};
