import { Type } from 'typebox';
import type { Collaboration, HostPermission } from '../collaboration.ts';
import type { MirroredReads } from '../mirrored.ts';
import type { RepositoryRef } from '../port.ts';
import { checkFunctions } from './checks.ts';
import { parsed, requireDone, type GitlabClient } from './client.ts';
import { readDiscussion } from './discussion.ts';
import { issueFunctions } from './issues.ts';
import { autoMergeFunction, noAutoMergeFunction } from './auto-merge.ts';
import { replyFunctions } from './replies.ts';
import { submitFunction } from './review.ts';
import { Project } from './shapes.ts';

/** GET /users?username= */
const Users = Type.Array(Type.Object({ id: Type.Integer({ minimum: 1 }), username: Type.String() }), { maxItems: 100 });
/** GET /projects/:id/members/all/:user_id */
const Member = Type.Object({ access_level: Type.Integer(), state: Type.Optional(Type.String()) });

/** GitLab's numbers of the roles Guest, Developer and Maintainer. */
const [guest, developer, maintainer] = [10, 30, 40];

/** The members of the port by which change requests are followed and reviewed. */
export function collaborationFunctions(client: GitlabClient, reads: Pick<MirroredReads, 'compare'>) {
  return {
    ...checkFunctions(client),
    ...replyFunctions(client),
    ...issueFunctions(client),
    discussion: (repository, number) => readDiscussion(client, repository, number),
    submitReview: submitFunction(client, reads),
    permissionOf: (repository, login) => permissionOf(client, repository, login),
    enableAutoMerge: autoMergeFunction(client),
    disableAutoMerge: noAutoMergeFunction(client),
    async deleteBranch(repository, branch) {
      const path = `repository/branches/${encodeURIComponent(branch)}`;
      const answer = await client.inProject(repository, { method: 'DELETE', path });
      if (answer.status === 404 && /branch/i.test(JSON.stringify(answer.body))) return;
      requireDone(answer);
    },
  } satisfies Partial<Collaboration>;
}

async function permissionOf(client: GitlabClient, repository: RepositoryRef, login: string): Promise<HostPermission> {
  const named = await client.send(repository, { path: 'users', query: { username: login } });
  const user = parsed(Users, named).find(({ username }) => username.toLowerCase() === login.toLowerCase());
  if (user === undefined) return 'none';
  const answer = await client.inProject(repository, { path: `members/all/${user.id}` });
  if (answer.status !== 404) {
    const { access_level: level, state = 'active' } = parsed(Member, answer);
    if (state !== 'active') return 'none';
    if (level >= guest) return level >= maintainer ? 'admin' : level >= developer ? 'write' : 'read';
  }
  const { visibility } = parsed(Project, await client.inProject(repository, { path: '' }));
  return visibility === 'public' || visibility === 'internal' ? 'read' : 'none';
}
