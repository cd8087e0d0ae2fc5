import type { Transaction } from 'kysely';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { builtInProvider } from '../../lib/providers.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { enqueuePage, firstPage } from './event-service.ts';
import { listListeners, readCause, readEventRepository } from './event-store.ts';
import {
  deleteOldSightings,
  isOwnChangeRequest,
  lockSighting,
  recordSighting,
  sessionOnBranch,
  type Sighted,
} from './sighting-store.ts';
import { sightChangeRequest, sightIssue, sightPush, type Sighting } from './sightings.ts';

type HostContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl' | 'log'>;
type Repository = NonNullable<Awaited<ReturnType<typeof readEventRepository>>>;

/** Events come in bursts, and a session's change request is recorded a moment after its host announces it. */
const quietMs = 5_000;
/** Changes are looked at later than openings, because hosts may announce them before. */
const changedMs = 2_000;
const rememberedMs = 180 * 86_400_000;

const HostJob = Type.Object({
  org_id: Type.String(),
  repository_id: Type.String(),
  kind: Type.Enum(['push', 'change_request', 'issue']),
  name: Type.String(),
  action: Type.String(),
  before: Type.String(),
  after: Type.String(),
});
type HostJob = Static<typeof HostJob>;

/** Enqueues a look at what other git hosts said, if an automation waits for such events. */
export const startByHosts: Consumer<Pick<Context, 'jobs' | 'clock'>> = {
  name: 'automations.hosts',
  types: ['delivery.received'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource, data } of events) {
      const { type, number, ref = '', action = '', before = '', head_sha: after = '' } = data;
      const name = type === 'push' ? String(ref) : String(number);
      const job = { org_id: orgId, repository_id: resource.id, kind: type, name, action, before, after };
      if (!Value.Check(HostJob, job)) continue;
      const [first] = await listListeners(trx, orgId, job.kind, { after: firstPage, limit: 1 });
      if (first === undefined) continue;
      const isOpening = action === 'opened';
      const startAfter = new Date(ctx.clock.now().getTime() + quietMs + (isOpening ? 0 : changedMs));
      const singletonKey = `${resource.id} ${job.kind} ${name}${isOpening ? ' opened' : ''}`;
      await ctx.jobs.enqueue(trx, 'automation_host', job, { singletonKey, startAfter });
    }
  },
};

/** Looks at what hosts said in this process. */
export function startAutomationHosts(ctx: HostContext): void {
  ctx.jobs.work('automation_host', { concurrency: 4 }, async ({ data }) => {
    if (Value.Check(HostJob, data)) await lookAtHost(ctx, data);
  });
}

/** Forgets what did not change for half a year. */
export async function forgetSightings(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - rememberedMs);
  await ctx.db.transaction((trx) => deleteOldSightings(trx, before));
}

/** Reads the present state from the host, and starts the listeners if it differs from the one that was seen last. */
async function lookAtHost(ctx: HostContext, job: HostJob): Promise<void> {
  const { org_id: orgId, repository_id: repositoryId } = job;
  const repository = await ctx.db.transaction((trx) => readEventRepository(trx, orgId, repositoryId));
  if (repository === undefined || repository.provider === builtInProvider) return;
  try {
    const look = await lookOf(ctx.sourceControl.of(repository.provider), refOf(orgId, repository), job);
    if (look !== undefined) await ctx.db.transaction((trx) => startSeen(ctx, trx, job, repository, look));
  } catch (error) {
    if (!(error instanceof ProviderError) || error.retryable) throw error;
    ctx.log.warn({ repository: repositoryId, reason: messageOf(error) }, 'a git host does not tell what happened');
  }
}

type Look = (seen: Readonly<Record<string, unknown>> | undefined) => Sighting;

/** Returns the present state; undefined if the host does not have it. */
async function lookOf(source: SourceControl, ref: RepositoryRef, job: HostJob): Promise<Look | undefined> {
  const { kind, name } = job;
  if (kind === 'push') {
    const [, type = '', short = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
    if (short === '') return undefined;
    const head = type === 'heads' ? await source.branchHead(ref, short) : await source.resolve(ref, name);
    return (seen) => sightPush(seen, name, head, job);
  }
  if (kind === 'change_request') {
    const found = await source.changeRequest(ref, Number(name));
    return found && ((seen) => sightChangeRequest(seen, found, job));
  }
  const issue = await source.issue?.(ref, Number(name));
  return issue && ((seen) => sightIssue(seen, issue, job));
}

async function startSeen(
  ctx: HostContext,
  trx: Transaction<DB>,
  { org_id: orgId, repository_id: repositoryId, kind, name }: HostJob,
  repository: Repository,
  look: Look,
): Promise<void> {
  const now = ctx.clock.now();
  const sighted: Sighted = { orgId, repositoryId, kind, name };
  const { seen, action, payload } = look(await lockSighting(trx, sighted, now));
  await recordSighting(trx, sighted, seen, now);
  if (action === '') return;
  if (kind === 'change_request' && (await isOwnChangeRequest(trx, orgId, repositoryId, Number(name)))) return;
  const { provider, repo, default_branch } = repository;
  const branch = [payload['branch'], payload['head_ref']].find((one) => typeof one === 'string') ?? '';
  const sessionId = branch === '' ? '' : await sessionOnBranch(trx, orgId, { provider, repo }, branch);
  if (sessionId !== '' && kind === 'change_request') return;
  const cause = sessionId === '' ? undefined : await readCause(trx, orgId, sessionId);
  await enqueuePage(ctx, trx, {
    org_id: orgId,
    type: kind,
    key: `host ${newId('run', now.getTime())}`,
    payload: { provider, repo, default_branch, ...payload },
    except: cause?.automationId ?? '',
    chain_length: cause === undefined ? 0 : cause.chainLength + 1,
    after: firstPage,
  });
}

function refOf(orgId: string, { id, connection_id: connectionId, repo }: Repository): RepositoryRef {
  return { orgId, connectionId, id, repo };
}
