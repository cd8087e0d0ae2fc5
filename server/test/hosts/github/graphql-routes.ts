import type { Resolvers } from './graphql.ts';
import { allows } from './grants.ts';
import { instant, nodeId } from './pulls.ts';
import type { World } from './route.ts';
import type { Grant, Pull } from './state.ts';

/** The operations of the GraphQL API that have no REST twin. */
export function graphqlResolvers(world: World, grant: Grant): Resolvers {
  const changeDraft = (input: unknown, draft: boolean) => {
    const { pull, repository } = pullOf(world, grant, input);
    if (draft && repository.refusesDrafts) throw new Error('Draft pull requests are not supported in this repository.');
    pull.draft = draft;
    pull.updatedAt = instant(world.now());
    return { pullRequest: { isDraft: pull.draft, updatedAt: pull.updatedAt } };
  };
  return {
    convertPullRequestToDraft: ({ input }) => changeDraft(input, true),
    markPullRequestReadyForReview: ({ input }) => changeDraft(input, false),
  };
}

function pullOf(world: World, grant: Grant, input: unknown) {
  const id: unknown = Object(input)['pullRequestId'];
  for (const repository of world.repositories) {
    const pull = repository.pulls.find((one: Pull) => nodeId(one) === id);
    if (pull === undefined) continue;
    if (!allows(grant, repository, 'pull_requests', 'write'))
      throw new Error('Resource not accessible by personal access token');
    return { repository, pull };
  }
  throw new Error(`Could not resolve to a node with the global id of '${String(id)}'`);
}
