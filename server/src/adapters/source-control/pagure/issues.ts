import { Type } from 'typebox';
import type { Collaboration, HostPermission } from '../collaboration.ts';
import { maxSaid } from '../cut-body.ts';
import type { RepositoryRef } from '../port.ts';
import { PagureRefusal, type PagureClient } from './client.ts';
import { requireProject } from './project.ts';
import type { PullRequests } from './pull-requests.ts';
import { commentOf, issueOf, SaidComments, SaidIssue, SaidIssues, textBytes } from './said.ts';
import { Done } from './shapes.ts';

type Issues = Required<
  Pick<
    Collaboration,
    'changedChangeRequests' | 'changedIssues' | 'issue' | 'issueComments' | 'commentOnIssue' | 'permissionOf'
  >
>;

const maxChanged = 100;

const Names = Type.Record(Type.String(), Type.Array(Type.String()));
const Access = Type.Object({
  access_users: Names,
  access_groups: Names,
  group_details: Type.Optional(Names),
});

/** Issues, changes since a time, and what accounts may do. */
export function createIssues(client: PagureClient, pulls: PullRequests): Issues {
  const pathOf = ({ repo }: RepositoryRef) => requireProject(repo).path;

  return {
    async changedChangeRequests(repository, since) {
      const changed = (await pulls.times(repository)).filter(({ updatedAt }) => updatedAt > since);
      return changed.toSorted(byTime).slice(0, maxChanged);
    },
    async changedIssues(repository, since) {
      const query = {
        status: 'all',
        // Pagure knows whole seconds.
        since: String(Math.max(Math.floor(since.getTime() / 1_000), 1)),
        order: 'asc',
        per_page: String(maxChanged),
      };
      const request = { path: `${pathOf(repository)}/issues`, query };
      const found = await client.call(repository, request, SaidIssues, { textBytes }).catch(noTracker);
      const changed = (found?.issues ?? []).map(issueOf).filter(({ updatedAt }) => updatedAt > since);
      return changed.toSorted(byTime);
    },
    async issue(repository, number) {
      const request = { path: `${pathOf(repository)}/issue/${number}`, query: { comments: 'false' } };
      const found = await client.call(repository, request, SaidIssue, { textBytes }).catch(noTracker);
      return found === undefined ? undefined : issueOf(found);
    },
    async issueComments(repository, number) {
      const path = `${pathOf(repository)}/issue/${number}`;
      const { comments } = await client.call(repository, { path }, SaidComments, { textBytes });
      const { url } = await client.open(repository);
      const said = comments.filter(({ notification }) => notification !== true);
      return said.slice(-maxSaid).map((one) => commentOf(one, `${url}/${path}`));
    },
    async commentOnIssue(repository, number, body) {
      const path = `${pathOf(repository)}/issue/${number}`;
      await client.call(repository, { method: 'POST', path: `${path}/comment`, form: { comment: body } }, Done);
      const { url } = await client.open(repository);
      return { url: `${url}/${path}` };
    },
    permissionOf: (repository, login) => permissionOf(client, repository, login),
  };
}

async function permissionOf(client: PagureClient, repository: RepositoryRef, login: string): Promise<HostPermission> {
  if (!/^[\w.@-]{1,255}$/.test(login)) return 'none';
  const request = { path: requireProject(repository.repo).path, query: { expand_group: 'true' } };
  const {
    access_users: users,
    access_groups: groups,
    group_details: members = {},
  } = await client.call(repository, request, Access);
  const has = (level: string): boolean =>
    users[level]?.includes(login) === true ||
    groups[level]?.some((group) => members[group]?.includes(login) === true) === true;
  if (has('owner') || has('admin')) return 'admin';
  if (has('commit')) return 'write';
  // Everybody reads a public project; collaborators push only branches that the project names.
  const known = await client.call(repository, { path: `user/${login}` }, Done).catch(absent);
  return known === undefined ? 'none' : 'read';
}

/** Undefined for an issue that does not exist, and for a project without issues. */
function noTracker(error: unknown): undefined {
  if (error instanceof PagureRefusal && ['ENOISSUE', 'ETRACKERDISABLED'].includes(error.code)) return undefined;
  throw error;
}

function absent(error: unknown): undefined {
  if (error instanceof PagureRefusal && error.status === 404) return undefined;
  throw error;
}

function byTime(one: { updatedAt: Date }, other: { updatedAt: Date }): number {
  return one.updatedAt.getTime() - other.updatedAt.getTime();
}
