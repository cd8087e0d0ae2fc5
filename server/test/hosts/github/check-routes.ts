import { describePull, instant, refresh } from './pulls.ts';
import { pageOf, type RepositoryRoute, type RouteRequest } from './route.ts';
import { Answer, refusal, type Repository } from './state.ts';

type InRepository = RouteRequest & { repository: Repository };

/** Routes of commits: their pull requests, checks and statuses. */
export const checkRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', pattern: /^\/commits\/([0-9a-f]{40})\/pulls$/, needs: ['pull_requests', 'read'], handle: pullsOf },
  { method: 'GET', pattern: /^\/commits\/([0-9a-f]{40})\/status$/, needs: ['statuses', 'read'], handle: combined },
  { method: 'POST', pattern: /^\/statuses\/([0-9a-f]{40})$/, needs: ['statuses', 'write'], handle: createStatus },
  { method: 'GET', pattern: /^\/actions\/jobs\/(\d+)$/, needs: ['actions', 'read'], handle: readJob },
  { method: 'GET', pattern: /^\/actions\/jobs\/(\d+)\/logs$/, needs: ['actions', 'read'], handle: readLog },
  {
    method: 'POST',
    pattern: /^\/actions\/runs\/(\d+)\/rerun-failed-jobs$/,
    needs: ['actions', 'write'],
    handle: rerun,
  },
  { method: 'GET', pattern: /^\/check-runs\/(\d+)$/, needs: ['checks', 'read'], handle: readCheckRun },
  { method: 'POST', pattern: /^\/check-runs\/(\d+)\/rerequest$/, needs: ['checks', 'write'], handle: rerequest },
];

async function pullsOf(request: InRepository): Promise<Answer> {
  const { world, repository, parts } = request;
  for (const pull of repository.pulls) await refresh(repository, pull, world.now());
  const found = repository.pulls.filter(({ headSha }) => headSha === parts[0]);
  return new Answer(
    200,
    found.map((pull) => describePull(world.judge, world.url, repository, pull, false)),
  );
}

/** Returns the newest status of each context. */
export function newestStatuses({ statuses }: Repository, sha: string) {
  return [...new Map(statuses.filter((one) => one.sha === sha).map((one) => [one.context, one])).values()];
}

function combined({ world, repository, parts: [sha = ''], query }: InRepository): Answer {
  const example = world.judge.example('get /repos/{owner}/{repo}/commits/{ref}/status', 200);
  const [first] = Object(example)['statuses'];
  const { page } = pageOf(newestStatuses(repository, sha), query, world.url);
  const statuses = page.map(({ context, state, description, url, at }) => {
    return { ...first, context, state, description, target_url: url === '' ? null : url, updated_at: at };
  });
  return new Answer(200, { ...example, sha, statuses, total_count: statuses.length });
}

async function createStatus({ world, repository, body, parts: [sha = ''] }: InRepository): Promise<Answer> {
  const type = await repository.bare.git('cat-file', '-t', sha).catch(() => undefined);
  if (type === undefined) throw refusal(422, `No commit found for SHA: ${sha}`);
  const { state, context = 'default', description = '', target_url: url = '' } = body;
  const status = { state: String(state), context: String(context), description: String(description), url: String(url) };
  repository.statuses.push({ sha, at: instant(world.now()), ...status });
  const example = world.judge.example('post /repos/{owner}/{repo}/statuses/{sha}', 201);
  return new Answer(201, { ...example, ...status, url: example['url'], target_url: status.url });
}

function runOf({ repository, parts }: InRepository) {
  const run = repository.checkRuns.find(({ id }) => id === Number(parts[0]));
  if (run === undefined) throw refusal(404, 'Not Found');
  return run;
}

function readJob(request: InRepository): Answer {
  const { id, runId, name, log } = runOf(request);
  if (log === undefined) throw refusal(404, 'Not Found');
  const example = request.world.judge.example('get /repos/{owner}/{repo}/actions/jobs/{job_id}', 200);
  return new Answer(200, { ...example, id, run_id: runId, name, created_at: instant(request.world.now()) });
}

function readLog(request: InRepository): Answer {
  const { id, log } = runOf(request);
  if (log === undefined) throw refusal(404, 'Not Found');
  return new Answer(302, undefined, { location: `${request.world.logsUrl}/${id}` });
}

function rerun({ repository, parts }: InRepository): Answer {
  const failed = repository.checkRuns.filter(
    ({ runId, conclusion }) => runId === Number(parts[0]) && conclusion === 'FAILURE',
  );
  if (failed.length === 0) throw refusal(403, 'This workflow run cannot be retried');
  for (const run of failed) Object.assign(run, { status: 'QUEUED', conclusion: null, completedAt: null });
  return new Answer(201, {});
}

function readCheckRun(request: InRepository): Answer {
  const { id, name, summary } = runOf(request);
  const example = request.world.judge.example('get /repos/{owner}/{repo}/check-runs/{check_run_id}', 200);
  const output = { ...Object(example['output']), title: 'Failed', summary, text: null };
  return new Answer(200, { ...example, id, name, output });
}

function rerequest(request: InRepository): Answer {
  Object.assign(runOf(request), { status: 'QUEUED', conclusion: null, completedAt: null });
  return new Answer(201, {});
}
