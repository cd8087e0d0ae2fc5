import {
  isSaidSince,
  type Discussion,
  type HostCheck,
  type HostPermission,
} from '../../adapters/source-control/collaboration.ts';
import type { ProviderChangeRequest, RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { sensitiveFiles } from '../../git/sensitive-files.ts';
import { ProviderError } from '../../lib/errors.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { rulesOf } from '../guardrails/public.ts';
import { readAutoMerge } from '../repositories/public.ts';
import type { RepositoryRow } from '../repositories/service.ts';
import { trialTurns } from '../repositories/turns.ts';
import { followedSession } from '../sessions/api/follow-service.ts';
import { failureFingerprint } from './fingerprint.ts';
import { readAccount, type FollowRow } from './store.ts';
import type { Facts, SessionFacts } from './decide/types.ts';
import { addsSkips, isWorkflow } from './weakened.ts';

export type FactsContext = Pick<Context, 'db' | 'clock' | 'sourceControl'>;

/** The most failed checks whose logs are read, and the length of a log, in bytes. */
export const maxLogs = 5;
const maxLogBytes = 8_192;
/** The most people whose permission is asked at once. */
const maxPeople = 50;

interface Subject {
  orgId: string;
  repository: RepositoryRow;
  ref: RepositoryRef;
  follow: FollowRow;
  source: SourceControl;
}

/** Reads what the git host and the platform say of a change request now. */
export async function readFacts(ctx: FactsContext, subject: Subject, said: ProviderChangeRequest): Promise<Facts> {
  const { orgId, repository, ref, follow, source } = subject;
  const { headSha, headRef, baseRef, state, draft, isBehind } = said;
  const checks = await source.checks?.(ref, headSha);
  const discussion = await source.discussion?.(ref, follow.number);
  const { session, requester } = await sessionFacts(ctx, orgId, follow.session_id, repository.id);
  const [guarded] = await rulesOf(ctx.db.kysely, orgId, [repository]);
  return {
    now: ctx.clock.now().getTime(),
    change: {
      state,
      headSha,
      headRef,
      isDraft: draft,
      mergeable: state === 'open' ? await mergeableNow(subject, said) : undefined,
      isBehind: state === 'open' && isBehind,
    },
    checks,
    baseChecks: await baseChecksOf(subject, baseRef, checks),
    discussion,
    permissions: await permissionsOf(subject, discussion),
    botLogin: await readAccount(ctx.db.kysely, orgId, repository.connection_id),
    requester: repository.provider === builtInProvider ? requester : '',
    fingerprints: await fingerprintsOf(subject, checks),
    session,
    autoMerge: await readAutoMerge(ctx.db.kysely, ref, follow.number),
    mergesItself: repository.provider === builtInProvider,
    canRerun: source.rerun !== undefined,
    maxRounds: guarded?.rules.max_follow_rounds ?? 0,
    // Nothing follows from it once the change request is over, whose repository may be gone.
    weakened: state === 'open' ? await weakenedBy(subject, headSha) : [],
  };
}

async function mergeableNow({ orgId, ref, source }: Subject, { baseRef, headSha, mergeable }: ProviderChangeRequest) {
  const { wouldMerge } = source;
  if (wouldMerge === undefined) return mergeable;
  return trialTurns.run(orgId, () => wouldMerge(ref, baseRef, headSha));
}

/** Reads the checks of the base branch where the head has none, or failed ones. */
async function baseChecksOf({ ref, source }: Subject, baseRef: string, checks: readonly HostCheck[] = []) {
  if (checks.length > 0 && !checks.some(({ state }) => state === 'failure' || state === 'error')) return undefined;
  const base = await source.branchHead(ref, baseRef);
  return base === undefined ? undefined : source.checks?.(ref, base);
}

async function permissionsOf(
  { ref, source, follow }: Subject,
  discussion: Discussion | undefined,
): Promise<Record<string, HostPermission>> {
  const { permissionOf } = source;
  if (permissionOf === undefined || discussion === undefined) return {};
  const { comments, reviews, threads } = discussion;
  const since = follow.memory.since;
  const said = [...comments, ...reviews, ...threads.flatMap((thread) => thread.comments)];
  const people = said.filter((one) => !one.author.isBot && isSaidSince(one, since));
  const logins = [...new Set(people.map(({ author }) => author.login))].filter((login) => login !== '');
  const found: Record<string, HostPermission> = {};
  for (const login of logins.slice(-maxPeople)) found[login] = await permissionOf(ref, login);
  return found;
}

async function fingerprintsOf({ ref, source }: Subject, checks: readonly HostCheck[] = []) {
  const failed = checks.filter(({ state }) => state === 'failure' || state === 'error').slice(0, maxLogs);
  const found: Record<string, string> = {};
  for (const check of failed) found[check.id] = failureFingerprint(check, await logOf(source, ref, check));
  return found;
}

/** Returns the end of a failed check's log; `''` if the host has none, or does not show it. */
export async function logOf(source: SourceControl, ref: RepositoryRef, { id }: HostCheck): Promise<string> {
  try {
    return (await source.failureLog?.(ref, id, maxLogBytes)) ?? '';
  } catch (error) {
    if (error instanceof ProviderError && !error.retryable) return '';
    throw error;
  }
}

/** Lists what the session's last round changed that checks are judged by. */
async function weakenedBy({ ref, source, follow }: Subject, headSha: string): Promise<string[]> {
  const { round } = follow.memory;
  if (round?.kind !== 'ci' || round.headSha === headSha) return [];
  const diff = await source.compare(ref, round.headSha, headSha);
  const deleted = (await sensitiveFiles(diff)).filter(({ kind, change }) => kind === 'test' && change === 'deleted');
  const others = diff.files.filter((file) => isWorkflow(file.path) || addsSkips(file));
  return [...new Set([...deleted, ...others].map(({ path }) => path))];
}

async function sessionFacts(
  ctx: FactsContext,
  orgId: string,
  id: string,
  repositoryId: string,
): Promise<{ session: SessionFacts; requester: string }> {
  const row = await followedSession(ctx, orgId, id);
  if (row === undefined) {
    const gone = {
      state: 'gone',
      pushedSha: '',
      isVerified: false,
      hasBudget: true,
      blocked: '',
      failure: '',
    } as const;
    return { session: gone, requester: '' };
  }
  const { status, status_detail: detail, repositories, verification, problem } = row;
  const stored = repositories.find(({ repository_id }) => repository_id === repositoryId);
  const session = {
    state: row.has_messages && status !== 'canceled' ? ('busy' as const) : stateOf[status],
    pushedSha: stored?.delivered_commit ?? '',
    isVerified: verification === 'fixed',
    hasBudget: status !== 'suspended' || detail !== 'budget_reached',
    blocked: status === 'failed' ? problem : '',
    failure: status === 'failed' ? row.problem_code : '',
  };
  return { session, requester: row.created_by_id };
}

const stateOf = {
  queued: 'busy',
  provisioning: 'busy',
  running: 'busy',
  waiting: 'waiting',
  suspended: 'waiting',
  completed: 'idle',
  failed: 'failed',
  canceled: 'canceled',
} as const;
