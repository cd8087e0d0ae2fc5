import { createHmac } from 'node:crypto';
import type { GitUser } from '../support/git.ts';
import { pagureProblem } from '../support/pagure.ts';
import { connectableGithub, connectableGitlab, connectablePagure, type ConnectableHost } from './connectable.ts';

/** An announcement of a host: a push from one commit to another, or a change request. */
export type News = { before: string; after: string } | { number: number; isNew: boolean };

export interface Sent {
  readonly raw: string;
  readonly headers: Record<string, string>;
}

/** Writes a delivery as a host does; `id` is the delivery's own. */
export type Write = (news: News, id: string, secret: string) => Sent;

const hmac = (secret: string, raw: string): string => createHmac('sha256', secret).update(raw).digest('hex');
const refs = { ref: 'refs/heads/main' };

const github: Write = (news, id, secret) => {
  const repository = { full_name: 'acme/github-app' };
  const body =
    'number' in news
      ? { repository, action: news.isNew ? 'opened' : 'synchronize', pull_request: { number: news.number } }
      : { repository, ...refs, ...news };
  const raw = JSON.stringify(body);
  const event = 'number' in news ? 'pull_request' : 'push';
  const signed = { 'x-hub-signature-256': `sha256=${hmac(secret, raw)}` };
  return { raw, headers: { ...signed, 'x-github-delivery': id, 'x-github-event': event } };
};

const gitlab: Write = (news, id, secret) => {
  const project = { path_with_namespace: 'acme/tools/gitlab-app' };
  const body =
    'number' in news
      ? {
          object_kind: 'merge_request',
          project,
          object_attributes: { iid: news.number, action: news.isNew ? 'open' : 'update' },
        }
      : { object_kind: 'push', project, ...refs, ...news };
  return { raw: JSON.stringify(body), headers: { 'x-gitlab-token': secret, 'idempotency-key': id } };
};

const pagure: Write = (news, id, secret) => {
  const project_fullname = 'pagure-app';
  const body =
    'number' in news
      ? {
          topic: news.isNew ? 'pull-request.new' : 'pull-request.updated',
          msg: { project_fullname, pullrequest: { id: news.number } },
        }
      : {
          topic: 'git.receive',
          msg: { project_fullname, branch: 'main', old_commit: news.before, end_commit: news.after },
        };
  // Pagure has no header for it.
  const raw = JSON.stringify({ ...body, msg_id: id });
  const signed = { 'x-pagure-signature-256': hmac(secret, raw), 'x-pagure-project': project_fullname };
  return { raw, headers: { ...signed, 'x-pagure-topic': body.topic } };
};

/** Returns the secret that signs a host's deliveries: Pagure's is the project's own; the others get a new one of the connection. */
export async function signingSecret(
  { provider, url, token, repo }: Pick<ConnectableHost, 'url' | 'token' | 'repo'> & { provider: string },
  rotate: () => Promise<string>,
): Promise<string> {
  if (provider !== 'pagure') return rotate();
  const headers = { authorization: `token ${token}` };
  const answer = await fetch(`${url}/api/0/${repo.replace('_/', '')}/webhook/token`, { headers });
  return String(Object(Object(await answer.json()).webhook).token);
}

interface Delivering {
  readonly name: string;
  open(user: GitUser, files: Readonly<Record<string, string>>): Promise<ConnectableHost>;
  readonly write: Write;
  /** The reason why it cannot be started here; `''` if it can. */
  readonly problem: string;
}

/** The hosts that deliver, with how each writes its deliveries. */
export const deliveringHosts: readonly Delivering[] = [
  { name: 'GitHub', open: connectableGithub, write: github, problem: '' },
  { name: 'GitLab', open: connectableGitlab, write: gitlab, problem: '' },
  { name: 'Pagure', open: connectablePagure, write: pagure, problem: pagureProblem() },
];
