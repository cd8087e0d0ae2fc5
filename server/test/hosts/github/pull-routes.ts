import { describeRepository } from './account-routes.ts';
import { describePull, determine, headOf, instant, merge, refresh } from './pulls.ts';
import { accountOf } from './said.ts';
import { pageOf, type RepositoryRoute, type RouteRequest } from './route.ts';
import { Answer, invalid, refusal, type Pull, type Repository } from './state.ts';

type InRepository = RouteRequest & { repository: Repository };

export const pullRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    pattern: /^$/,
    needs: ['metadata', 'read'],
    handle: ({ world, grant, repository }) => new Answer(200, describeRepository(world, grant, repository)),
  },
  { method: 'GET', pattern: /^\/pulls$/, needs: ['pull_requests', 'read'], handle: listPulls },
  { method: 'POST', pattern: /^\/pulls$/, needs: ['pull_requests', 'write'], handle: createPull },
  { method: 'GET', pattern: /^\/pulls\/(\d+)$/, needs: ['pull_requests', 'read'], handle: readPull },
  { method: 'PATCH', pattern: /^\/pulls\/(\d+)$/, needs: ['pull_requests', 'write'], handle: updatePull },
  { method: 'PUT', pattern: /^\/pulls\/(\d+)\/merge$/, needs: ['contents', 'write'], handle: mergePull },
  { method: 'POST', pattern: /^\/git\/refs$/, needs: ['contents', 'write'], handle: createRef },
];

async function pullOf({ world, repository, parts: [number] }: InRepository): Promise<Pull> {
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) throw refusal(404, 'Not Found');
  await refresh(repository, pull, world.now());
  return pull;
}

const describe = ({ world, repository }: InRepository, pull: Pull, isOne = true) =>
  describePull(world.judge, world.url, repository, pull, isOne);

async function listPulls(request: InRepository): Promise<Answer> {
  const { world, repository, query } = request;
  for (const pull of repository.pulls) await refresh(repository, pull, world.now());
  const [state, head, base] = [query.get('state') ?? 'open', query.get('head'), query.get('base')];
  const owner = repository.name.split('/')[0];
  const found = repository.pulls.filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (head === null || head === `${owner}:${pull.headRef}`) &&
      (base === null || base === pull.baseRef),
  );
  if (query.get('sort') === 'updated')
    found.sort((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt) || other.number - one.number);
  const { page, headers } = pageOf(found, query, `${world.url}/api/v3/repositories/${repository.id}/pulls`);
  return new Answer(
    200,
    page.map((pull) => describe(request, pull, false)),
    headers,
  );
}

async function createPull(request: InRepository): Promise<Answer> {
  const { world, repository, body, grant } = request;
  const { bare, pulls } = repository;
  const [head, base] = [String(body['head']), String(body['base'])];
  const [headSha, baseSha] = await Promise.all([headOf(bare, head), headOf(bare, base)]);
  const resource = 'PullRequest';
  if (baseSha === undefined) throw invalid({ resource, field: 'base', code: 'invalid' });
  if (headSha === undefined) throw invalid({ resource, field: 'head', code: 'invalid' });
  const owner = repository.name.split('/')[0];
  for (const pull of pulls) await refresh(repository, pull, world.now());
  if (pulls.some((pull) => pull.state === 'open' && pull.headRef === head && pull.baseRef === base))
    throw invalid({ resource, code: 'custom', message: `A pull request already exists for ${owner}:${head}.` });
  if ((await bare.git('rev-list', '--count', `${baseSha}..${headSha}`)) === '0')
    throw invalid({ resource, code: 'custom', message: `No commits between ${base} and ${head}` });
  const draft = body['draft'] === true;
  if (draft && repository.refusesDrafts)
    throw refusal(422, 'Draft pull requests are not supported in this repository.');
  const now = instant(world.now());
  const pull: Pull = {
    id: world.nextId(),
    number: pulls.length + repository.issues.length + 1,
    author: accountOf(world, grant).login,
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'] : '',
    draft,
    state: 'open',
    headRef: head,
    headSha,
    baseRef: base,
    baseSha,
    mergedAt: null,
    mergeCommit: null,
    createdAt: now,
    updatedAt: now,
    determined: '',
    mergeable: null,
    lacksCommits: false,
  };
  pulls.push(pull);
  return new Answer(201, describe(request, pull));
}

async function readPull(request: InRepository): Promise<Answer> {
  const pull = await pullOf(request);
  const described = describe(request, pull);
  // For the next read.
  if (pull.state === 'open' && pull.mergeable === null) await determine(request.repository, pull);
  return new Answer(200, described);
}

async function updatePull(request: InRepository): Promise<Answer> {
  const pull = await pullOf(request);
  const { title, body, state } = request.body;
  if (title === '') throw invalid({ resource: 'PullRequest', field: 'title', code: 'missing_field' });
  if (typeof title === 'string') pull.title = title;
  if (typeof body === 'string') pull.body = body;
  if (state === 'closed') pull.state = state;
  pull.updatedAt = instant(request.world.now());
  return new Answer(200, describe(request, pull));
}

async function mergePull(request: InRepository): Promise<Answer> {
  const pull = await pullOf(request);
  const { merge_method: method = 'merge', sha, commit_message: rest = '' } = request.body;
  const { commit_title: title = `Merge pull request #${pull.number}` } = request.body;
  const message = `${String(title)}\n\n${String(rest)}`.trim();
  const commit = await merge(request.repository, pull, {
    method: method === 'squash' ? 'squash' : 'merge',
    sha,
    message,
    now: request.world.now(),
  });
  return new Answer(200, { sha: commit, merged: true, message: 'Pull Request successfully merged' });
}

async function createRef({ repository, body }: InRepository): Promise<Answer> {
  const sha = String(body['sha']);
  const type = await repository.bare.git('cat-file', '-t', sha).catch(() => undefined);
  if (type === undefined) throw refusal(422, 'Object does not exist');
  throw new Error('Nothing here creates a branch through the API.');
}
