import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { listWatched, openHeads, recordPoll, listAppConnections, type PolledRepository } from './poll-store.ts';
import { publishReceived, type RepositoryEvent } from './received.ts';

type PollContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'log'>;
type Found = Omit<RepositoryEvent, 'repo'> & Partial<RepositoryEvent>;

/** Repositories of one run; the next one continues where it ended. */
const maxRepositories = 1_000;
const maxConnections = 8;
const maxBranches = 1_000;
const maxOpen = 100;
/** The tasks run every ten minutes; a repository is due a little earlier. */
const pauseMs = 9 * 60_000;
/** The first poll looks back so far, because clocks differ. */
const marginMs = 60_000;
/** The next poll tells once more of changes in so short a time before: hosts know whole seconds, and lists may be late. */
const overlapMs = 5_000;
const redeliveredMs = 3_600_000;

/**
 * Asks hosts what changed in the repositories of which something is watched, and publishes `delivery.received`, as for a delivery:
 * webhooks may be missing, or lost. Connections are asked side by side, the repositories of one in turn.
 */
export async function pollHosts(ctx: PollContext, signal: AbortSignal): Promise<void> {
  const askedBefore = new Date(ctx.clock.now().getTime() - pauseMs);
  const due = await listWatched(ctx.db.kysely, askedBefore, maxRepositories);
  const lanes = [...Map.groupBy(due, ({ connection_id: id }) => id).values()];
  const work = async (): Promise<void> => {
    for (let lane = lanes.pop(); lane !== undefined; lane = lanes.pop()) await pollLane(ctx, lane, signal);
  };
  await Promise.all(Array.from({ length: maxConnections }, work));
}

/** Asks one host; ends at the first failure that may pass, such as a rate limit. */
async function pollLane(ctx: PollContext, lane: readonly PolledRepository[], signal: AbortSignal): Promise<void> {
  for (const repository of lane) {
    if (signal.aborted) return;
    try {
      await pollRepository(ctx, repository);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const now = ctx.clock.now();
      const { change_requests_until, issues_until, heads, failures } = repository;
      await recordPoll(ctx.db.kysely, repository, {
        asked_at: now,
        change_requests_until: change_requests_until ?? now,
        issues_until: issues_until ?? now,
        heads: heads ?? {},
        failures: (failures ?? 0) + 1,
        problem: messageOf(error).slice(0, 500),
      });
      ctx.log.warn({ repository: repository.id, reason: messageOf(error) }, 'a git host does not tell what changed');
      if (error.retryable) return;
    }
  }
}

async function pollRepository(ctx: PollContext, repository: PolledRepository): Promise<void> {
  const { id, org_id: orgId, connection_id: connectionId, repo, provider } = repository;
  const source = ctx.sourceControl.of(provider);
  const ref = { orgId, connectionId, id, repo };
  const now = ctx.clock.now();
  const start = new Date(now.getTime() - marginMs);
  const open = await openHeads(ctx.db.kysely, orgId, id, maxOpen);
  const branches = await headsOf(
    source,
    ref,
    repository,
    open.map(({ head_ref }) => head_ref),
  );
  const requests = await changedRequests(source, ref, repository.change_requests_until ?? start);
  const issues =
    repository.triggers.includes('issue') || repository.hears_mentions
      ? await changedIssues(source, ref, repository.issues_until ?? start)
      : { events: [], until: now };
  const events: Found[] = [
    // Without an earlier poll, there is nothing to compare with.
    ...(repository.heads === null ? [] : pushesBetween(repository.heads, branches)),
    ...requests.events,
    ...issues.events,
    ...open.map(({ head_sha: headSha }): Found => ({ type: 'checks', headSha })),
  ];
  await ctx.db.transaction(async (trx) => {
    for (const event of events) await publishReceived(trx, orgId, id, event);
    await recordPoll(trx, repository, {
      asked_at: now,
      change_requests_until: overlapping(requests.until, now),
      issues_until: overlapping(issues.until, now),
      heads: branches,
      failures: 0,
      problem: '',
    });
  });
}

function overlapping(until: Date, now: Date): Date {
  return new Date(Math.min(until.getTime(), now.getTime() - overlapMs));
}

/** Returns the commits of the branches that are watched: all if a trigger waits for pushes. */
async function headsOf(
  source: SourceControl,
  ref: RepositoryRef,
  { default_branch: main, triggers }: PolledRepository,
  heads: readonly string[],
): Promise<Record<string, string>> {
  const { items } = triggers.includes('push')
    ? await source.findBranches(ref, { search: '', limit: maxBranches })
    : { items: [] };
  const found = new Map(items.map(({ name, sha }) => [name, sha]));
  // The list may be a few seconds old; these are exact.
  for (const branch of new Set([main, ...heads])) {
    const head = await source.branchHead(ref, branch);
    if (head === undefined) found.delete(branch);
    else found.set(branch, head);
  }
  return Object.fromEntries(found);
}

function pushesBetween(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Found[] {
  return Object.entries(after).flatMap(([branch, head]): Found[] => {
    const old = before[branch];
    if (old === head) return [];
    return [{ type: 'push', ref: `refs/heads/${branch}`, before: old ?? '', after: head }];
  });
}

interface Changed {
  events: Found[];
  /** The newest change that was seen. */
  until: Date;
}

async function changedRequests(source: SourceControl, ref: RepositoryRef, since: Date): Promise<Changed> {
  const all = (await source.changedChangeRequests?.(ref, since)) ?? [];
  const found = all.filter(({ updatedAt }) => updatedAt > since);
  return {
    events: found.map(({ number, createdAt }) => ({
      type: 'change_request',
      action: createdAt > since ? 'opened' : 'changed',
      number,
    })),
    until: found.at(-1)?.updatedAt ?? since,
  };
}

async function changedIssues(source: SourceControl, ref: RepositoryRef, since: Date): Promise<Changed> {
  const all = (await source.changedIssues?.(ref, since)) ?? [];
  const found = all.filter(({ updatedAt }) => updatedAt > since);
  return {
    events: found.map(({ number, createdAt }) => ({
      type: 'issue',
      action: createdAt > since ? 'opened' : 'changed',
      number,
    })),
    until: found.at(-1)?.updatedAt ?? since,
  };
}

/** Asks hosts to deliver again what failed in the last hour. */
export async function redeliverFailed(ctx: PollContext, signal: AbortSignal): Promise<void> {
  const since = new Date(ctx.clock.now().getTime() - redeliveredMs);
  for (let after = ''; ;) {
    const page = await listAppConnections(ctx.db.kysely, after, 100);
    for (const { id, org_id: orgId, provider } of page) {
      signal.throwIfAborted();
      await ctx.sourceControl
        .of(provider)
        .redeliver?.({ orgId, connectionId: id }, since)
        .catch((error: unknown) => {
          if (!(error instanceof ProviderError)) throw error;
          ctx.log.warn({ connection: id, reason: messageOf(error) }, 'a git host does not deliver again');
        });
    }
    after = page.at(-1)?.id ?? '';
    if (page.length < 100) return;
  }
}
