import { Type, type Static } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import type { Collaboration, HostCheck } from '../collaboration.ts';
import { maxSaid } from '../cut-body.ts';
import type { RepositoryRef } from '../port.ts';
import { webUrl } from './change-request.ts';
import { parsed, requireDone, type GitlabClient } from './client.ts';
import { readList } from './pages.ts';
import { messageIn, problemOf } from './problems.ts';
import { timeOf } from './said.ts';
import { Project } from './shapes.ts';

type Checks = Required<Pick<Collaboration, 'checks' | 'failureLog' | 'rerun' | 'setStatus'>>;

const Id = Type.Integer({ minimum: 1 });
const Optional = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** GET /projects/:id/repository/commits/:sha/statuses: jobs of pipelines, and statuses of other CI systems. */
const Status = Type.Object({
  id: Id,
  status: Type.String(),
  name: Type.String(),
  target_url: Optional,
  description: Optional,
  finished_at: Optional,
  allow_failure: Type.Optional(Type.Boolean()),
  pipeline_id: Type.Optional(Type.Union([Id, Type.Null()])),
});
type Status = Static<typeof Status>;

const Pipeline = Type.Object({ id: Id, status: Type.String(), web_url: Optional, updated_at: Optional });
const Job = Type.Object({ id: Id, failure_reason: Optional });

/** Pipelines whose failed jobs are asked for their reason. */
const maxPipelines = 5;
const maxDescription = 255;

const states: Readonly<Record<string, HostCheck['state']>> = {
  success: 'success',
  failed: 'failure',
  canceled: 'error',
  canceling: 'error',
  skipped: 'neutral',
  manual: 'neutral',
};

/** `skipped` is newer than GitLab 17; see {@link setStatus}. */
const statuses: Readonly<Record<HostCheck['state'], string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
  neutral: 'skipped',
};

export function checkFunctions(client: GitlabClient): Checks {
  return {
    checks: (repository, headSha) => readChecks(client, repository, headSha),
    async failureLog(repository, checkId, maxBytes) {
      if (!isJob(checkId)) return '';
      const path = `jobs/${checkId}/trace`;
      const answer = await client.inProject(repository, { path, tailBytes: maxBytes });
      // A status of another CI system is not a job.
      if (answer.status === 404) return '';
      requireDone(answer);
      return typeof answer.body === 'string' ? withoutCutCharacter(answer.body) : '';
    },
    async rerun(repository, checkId) {
      const path = `jobs/${checkId}/retry`;
      const answer = isJob(checkId) ? await client.inProject(repository, { method: 'POST', path }) : undefined;
      if (answer === undefined || answer.status === 404)
        throw new ProviderError('GitLab can run only jobs of its pipelines again. Ask the system that set the check.', {
          retryable: false,
        });
      requireDone(answer);
    },
    setStatus: (repository, headSha, status) => setStatus(client, repository, headSha, status),
  };
}

async function readChecks(client: GitlabClient, repository: RepositoryRef, headSha: string): Promise<HostCheck[]> {
  const sha = encodeURIComponent(headSha);
  const [project, said, pipelines] = await Promise.all([
    client.inProject(repository, { path: '' }).then((answer) => parsed(Project, answer)),
    readList(client, repository, {
      path: `repository/commits/${sha}/statuses`,
      query: { order_by: 'id', sort: 'desc' },
      item: Status,
      limit: maxSaid,
    }),
    readList(client, repository, { path: 'pipelines', query: { sha: headSha }, item: Pipeline, limit: maxPipelines }),
  ]);
  const isRequired = project.only_allow_merge_if_pipeline_succeeds === true;
  const broken = await brokenJobs(client, repository, said);
  const newest = new Map<string, HostCheck>();
  for (const status of said.toSorted((one, other) => other.id - one.id))
    if (!newest.has(status.name))
      newest.set(status.name, toCheck(status, { isRequired, isBroken: broken.has(status.id) }));
  // A pipeline whose configuration is invalid has no jobs.
  const [latest] = pipelines;
  if (latest?.status === 'failed' && !said.some(({ pipeline_id: of }) => of === latest.id))
    newest.set('pipeline', {
      id: `pipeline:${latest.id}`,
      name: 'pipeline',
      state: 'failure',
      description: 'The pipeline has no jobs: its configuration is invalid, or GitLab could not create them.',
      url: webUrl(latest.web_url ?? ''),
      isRequired,
      endedAt: timeOf(latest.updated_at),
    });
  return [...newest.values()];
}

/** Returns the failed jobs that failed for another reason than their script. */
async function brokenJobs(client: GitlabClient, repository: RepositoryRef, said: readonly Status[]) {
  const failed = said.filter(({ status }) => status === 'failed').flatMap(({ pipeline_id: of }) => of ?? []);
  const jobs = await Promise.all(
    [...new Set(failed)].slice(0, maxPipelines).map((pipeline) =>
      readList(client, repository, {
        path: `pipelines/${pipeline}/jobs`,
        query: { scope: 'failed' },
        item: Job,
        limit: maxSaid,
      }),
    ),
  );
  const isBroken = ({ failure_reason: why }: Static<typeof Job>) => (why ?? 'script_failure') !== 'script_failure';
  return new Set(
    jobs
      .flat()
      .filter(isBroken)
      .map(({ id }) => id),
  );
}

function toCheck(said: Status, { isRequired, isBroken }: { isRequired: boolean; isBroken: boolean }): HostCheck {
  const state = states[said.status] ?? 'pending';
  return {
    id: String(said.id),
    name: said.name,
    state: state === 'failure' && isBroken ? 'error' : state,
    description: said.description ?? '',
    url: webUrl(said.target_url ?? ''),
    isRequired: isRequired && said.allow_failure !== true,
    endedAt: state === 'pending' ? null : timeOf(said.finished_at),
  };
}

async function setStatus(
  client: GitlabClient,
  repository: RepositoryRef,
  headSha: string,
  { name, state, description, url }: Pick<HostCheck, 'name' | 'state' | 'description' | 'url'>,
): Promise<void> {
  const send = (status: string) =>
    client.inProject(repository, {
      method: 'POST',
      path: `statuses/${encodeURIComponent(headSha)}`,
      body: {
        state: status,
        name,
        description: description.slice(0, maxDescription),
        ...(url === '' ? {} : { target_url: url }),
      },
    });
  let answer = await send(statuses[state]);
  if (answer.status === 400 && state === 'neutral') answer = await send('success');
  // GitLab refuses a status that the check has already.
  if (answer.status === 400 && /cannot transition status via/i.test(messageIn(answer.body))) return;
  if (answer.status >= 300) throw problemOf(answer);
}

function isJob(checkId: string): boolean {
  return /^\d{1,18}$/.test(checkId);
}

/** The end of a log may begin within a character. */
function withoutCutCharacter(log: string): string {
  return log.replace(/^�+/, '');
}
