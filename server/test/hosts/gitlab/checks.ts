import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { userJson } from './json.ts';
import { ok, page, pages, refusal, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeProject, type FakeState, type FakeStatus } from './state.ts';

const NewStatus = Type.Object(
  {
    state: Type.Enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    target_url: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 255 })),
  },
  { additionalProperties: false },
);

/** Pipelines, their jobs, and statuses of commits that other CI systems set. */
export const checkRoutes: readonly FakeRoute[] = [
  {
    method: 'GET',
    path: '/projects/{id}/repository/commits/{sha}/statuses',
    query: { ...pages, order_by: /^(?:id|pipeline_id)$/, sort: /^(?:asc|desc)$/ },
    role: role.reporter,
    answer: listStatuses,
  },
  { method: 'POST', path: '/projects/{id}/statuses/{sha}', role: role.developer, body: NewStatus, answer: setStatus },
  {
    method: 'GET',
    path: '/projects/{id}/pipelines',
    query: { ...pages, sha: /^[0-9a-f]+$/ },
    role: role.reporter,
    answer: listPipelines,
  },
  {
    method: 'GET',
    path: '/projects/{id}/pipelines/{pipeline_id}/jobs',
    query: { ...pages, scope: /^failed$/ },
    role: role.reporter,
    answer: listJobs,
  },
  { method: 'GET', path: '/projects/{id}/jobs/{job_id}/trace', role: role.reporter, answer: trace },
  { method: 'POST', path: '/projects/{id}/jobs/{job_id}/retry', role: role.developer, answer: retry },
];

/** Lets a job of a pipeline end, or a pipeline whose configuration is invalid. */
export function endJob(
  state: FakeState,
  project: FakeProject,
  job: { sha: string; name: string; status: string; log?: string; failureReason?: string; allowFailure?: boolean },
): FakeStatus {
  const known = project.pipelines.find(({ sha }) => sha === job.sha);
  const pipeline = known ?? { id: state.nextId(), sha: job.sha, status: job.status };
  if (known === undefined) project.pipelines.unshift(pipeline);
  const ended: FakeStatus = {
    id: state.nextId(),
    sha: job.sha,
    name: job.name,
    status: job.status,
    description: '',
    url: `https://gitlab.example.org/jobs/${job.name}`,
    finishedAt: state.now(),
    allowFailure: job.allowFailure ?? false,
    pipeline: pipeline.id,
    job: { log: job.log ?? '', failureReason: job.failureReason ?? 'script_failure' },
  };
  project.statuses.push(ended);
  return ended;
}

function statusJson({ url, token }: FakeCall, said: FakeStatus) {
  return {
    id: said.id,
    sha: said.sha,
    ref: 'main',
    status: said.status,
    name: said.name,
    target_url: said.url || null,
    description: said.description || null,
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    finished_at: said.finishedAt?.toISOString() ?? null,
    allow_failure: said.allowFailure,
    coverage: null,
    pipeline_id: said.pipeline,
    author: userJson(url, token),
  };
}

function jobJson({ url }: FakeCall, said: FakeStatus) {
  return {
    id: said.id,
    status: said.status,
    stage: 'test',
    name: said.name,
    ref: 'main',
    tag: false,
    allow_failure: said.allowFailure,
    created_at: '2026-01-01T00:00:00.000Z',
    finished_at: said.finishedAt?.toISOString() ?? null,
    web_url: `${url}/jobs/${said.id}`,
    ...(said.status === 'failed' ? { failure_reason: said.job?.failureReason } : {}),
  };
}

function listStatuses(call: FakeCall): FakeAnswer {
  const { project, names, query } = call;
  const found = project.statuses.filter(({ sha }) => sha === names['sha']);
  const newest = found.filter((one) => !found.some((other) => other.name === one.name && other.id > one.id));
  const sorted = newest.toSorted((one, other) => (one.id - other.id) * (query['sort'] === 'desc' ? -1 : 1));
  return page(
    call,
    sorted.map((one) => statusJson(call, one)),
  );
}

async function setStatus(call: FakeCall): Promise<FakeAnswer> {
  const { project, state, names } = call;
  const sha = names['sha'] ?? '';
  if ((await project.repository.commit(sha)) === undefined) return refusal(404, '404 Commit Not Found');
  const given = Value.Parse(NewStatus, call.body);
  const name = given.name ?? 'default';
  const known = project.statuses.findLast((one) => one.sha === sha && one.name === name && one.job === undefined);
  if (known?.status === given.state)
    return refusal(
      400,
      `Cannot transition status via :enqueue from :${given.state} (Reason(s): Status cannot transition)`,
    );
  const isOver = !['pending', 'running'].includes(given.state);
  const one: FakeStatus = {
    id: state.nextId(),
    sha,
    name,
    status: given.state,
    description: given.description ?? '',
    url: given.target_url ?? '',
    finishedAt: isOver ? state.now() : undefined,
    allowFailure: false,
    pipeline: known?.pipeline ?? state.nextId(),
    job: undefined,
  };
  project.statuses.push(one);
  return { status: 201, body: statusJson(call, one) };
}

function listPipelines(call: FakeCall): FakeAnswer {
  const found = call.project.pipelines.filter(({ sha }) => sha === call.query['sha']);
  const json = found.map(({ id, sha, status }) => ({
    id,
    iid: id,
    project_id: call.project.id,
    sha,
    ref: 'main',
    status,
    source: 'push',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    web_url: `${call.url}/pipelines/${id}`,
  }));
  return page(call, json);
}

function listJobs(call: FakeCall): FakeAnswer {
  const ofPipeline = call.project.statuses.filter(({ pipeline }) => String(pipeline) === call.names['pipeline_id']);
  const failed = ofPipeline.filter(({ job, status }) => job !== undefined && status === 'failed');
  return page(
    call,
    failed.map((one) => jobJson(call, one)),
  );
}

function jobOf({ project, names }: FakeCall): FakeStatus | undefined {
  return project.statuses.find(({ id, job }) => String(id) === names['job_id'] && job !== undefined);
}

function trace(call: FakeCall): FakeAnswer {
  const found = jobOf(call);
  return found === undefined ? refusal(404, '404 Not found') : { ...ok(found.job?.log), isText: true };
}

function retry(call: FakeCall): FakeAnswer {
  const found = jobOf(call);
  if (found === undefined) return refusal(404, '404 Not found');
  if (found.status !== 'failed' && found.status !== 'canceled')
    return refusal(403, '403 Forbidden  - Job is not retryable');
  const next: FakeStatus = { ...found, id: call.state.nextId(), status: 'pending', finishedAt: undefined };
  call.project.statuses.push(next);
  return { status: 201, body: jobJson(call, next) };
}
