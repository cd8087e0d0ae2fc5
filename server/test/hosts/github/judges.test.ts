import { expect, test } from 'vitest';
import { graphqlApi } from './graphql.ts';
import { openApiJudge, type Exchange } from './openapi.ts';

test.each(['api.github.com', 'ghes-3.19'] as const)('what %s does not describe is found', (name) => {
  const judge = openApiJudge(name);
  // Its own example is against GitHub's schema.
  const pull = { ...judge.example('post /repos/{owner}/{repo}/pulls', 201), requested_teams: [] };
  const body = { title: 'T', body: '', draft: false, head: 'topic', base: 'main' };
  const exchange: Exchange = {
    method: 'POST',
    path: '/repos/acme/app/pulls',
    query: new URLSearchParams(),
    requestBody: body,
    status: 201,
    responseBody: pull,
  };
  expect(judge.problems(exchange)).toEqual([]);
  const wrong: Record<string, Partial<Exchange>> = {
    'GitHub has no such operation': { path: '/repos/acme/app/merge_requests' },
    'the query parameter sate does not exist': { query: new URLSearchParams({ sate: 'open' }) },
    'field drafts does not exist': { requestBody: { ...body, drafts: true } },
    "must have required property 'head'": { requestBody: { ...body, head: undefined } },
    'draft must be boolean': { requestBody: { ...body, draft: 'yes' } },
    'status 200 is not described': { status: 200 },
    "must have required property 'html_url'": { responseBody: { ...pull, html_url: undefined } },
    'number must be integer': { responseBody: { ...pull, number: '7' } },
  };
  for (const [problem, change] of Object.entries(wrong)) {
    const sent: Exchange = JSON.parse(JSON.stringify({ ...exchange, ...change }));
    const found = judge.problems({ ...exchange, ...sent, query: change.query ?? exchange.query });
    expect(found, problem).toContainEqual(expect.stringContaining(problem));
  }
});

test('an operation that the GraphQL schema does not have is refused', async () => {
  const run = (query: string) =>
    graphqlApi().run(query, { id: 'PR_1' }, { convertPullRequestToDraft: () => ({ pullRequest: { isDraft: true } }) });
  const query =
    'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
  expect(await run(query)).toMatchObject({
    invalid: [],
    data: { convertPullRequestToDraft: { pullRequest: { isDraft: true } } },
  });
  expect((await run(query.replace('isDraft', 'draft'))).invalid).toEqual([
    'Cannot query field "draft" on type "PullRequest". Did you mean "isDraft"?',
  ]);
  expect((await run(query.replace('pullRequestId', 'id'))).invalid.length).toBeGreaterThan(0);
});
