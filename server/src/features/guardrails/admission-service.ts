import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { dayOf } from '../../lib/days.ts';
import { AppError } from '../../lib/errors.ts';
import {
  countCreated,
  hasDispatchRules,
  insertCounts,
  lockCounts,
  readActive,
  readRepositoriesOf,
  readRuleSets,
  readSpent,
} from './admission-store.ts';
import { inEffect, type Finding, type Origin, type Rules } from './rules.ts';
import { queueOf } from './store.ts';
import { recordViolations, recordViolationsIn } from './violation-service.ts';

type AdmissionContext = Pick<Context, 'db' | 'clock'>;

/** A repository of a session; `id` is `''` for a session without one. */
export interface GuardedRepository {
  id: string;
  provider: string;
  repo: string;
}

export interface GuardedRules {
  repository: GuardedRepository;
  rules: Rules;
}

/** A request that a guardrail rejects: 403 `guardrail_blocked`. */
export class GuardrailBlocked extends AppError {
  readonly finding: Finding;
  readonly repository: GuardedRepository;

  constructor(finding: Finding, repository: GuardedRepository) {
    const { rule, message, used, allowed } = finding;
    const amounts = { ...(used === undefined ? {} : { used }), ...(allowed === undefined ? {} : { allowed }) };
    super('guardrail_blocked', message, { rule, repo: repository.repo, ...amounts });
    this.name = 'GuardrailBlocked';
    this.finding = finding;
    this.repository = repository;
  }
}

const noRepository: GuardedRepository = { id: '', provider: '', repo: '' };

/** Returns the rules of each of a session's repositories, in the order of their ids; of the default for none. */
export async function rulesOf(
  db: Kysely<DB>,
  orgId: string,
  repositories: readonly GuardedRepository[],
): Promise<GuardedRules[]> {
  const sets = await readRuleSets(
    db,
    orgId,
    repositories.map(({ id }) => id),
  );
  const guarded = repositories.length === 0 ? [noRepository] : repositories;
  return guarded
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((repository) => ({ repository, rules: inEffect(sets.get(orgId), sets.get(repository.id)) }));
}

/** A session to create. */
export interface Creation {
  origin: Origin;
  maxCostUsd: number | undefined;
}

/** Throws {@link GuardrailBlocked} for a session that the rules do not allow, apart from those that count others. */
export function requireAllowed(guarded: readonly GuardedRules[], session: Creation): void {
  for (const { repository, rules } of guarded) {
    const finding = findUncounted(rules, session);
    if (finding !== undefined) throw new GuardrailBlocked(finding, repository);
  }
}

/** Returns what a session violates regardless of others. */
export function findUncounted(rules: Rules, { origin, maxCostUsd }: Creation): Finding | undefined {
  return originFinding(rules, origin, 'create') ?? budgetFinding(rules, maxCostUsd);
}

/** Returns the highest cost of a session that the rules allow; undefined for any. */
export function costLimit(guarded: readonly GuardedRules[]): number | undefined {
  const limits = guarded.map(({ rules }) => rules.max_cost_per_session_usd).filter((limit) => limit > 0);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Returns true if a session must wait for the approval of its plan. */
export function requiresPlanApproval(guarded: readonly GuardedRules[]): boolean {
  return guarded.some(({ rules }) => rules.require_plan_approval);
}

/**
 * Counts an inserted session on its repositories. Concurrent creations are serialized where a limit is set, so exactly the
 * allowed number succeeds. Throws {@link GuardrailBlocked}.
 */
export async function admitCreation(
  trx: Transaction<DB>,
  session: { id: string; orgId: string; maxCostUsd: number | undefined },
  guarded: readonly GuardedRules[],
  now: Date,
): Promise<void> {
  const { id, orgId } = session;
  await insertCounts(trx, { id, orgId, repositoryIds: guarded.map(({ repository }) => repository.id) }, now);
  for (const { repository, rules } of guarded) {
    if (!countsOthers(rules)) continue;
    await lockCounts(trx, orgId, repository.id);
    const finding = await findInCounts(trx, session, { repository, rules }, now);
    if (finding !== undefined) throw new GuardrailBlocked(finding, repository);
  }
}

function countsOthers(rules: Rules): boolean {
  return rules.max_sessions_per_day > 0 || rules.max_concurrent_sessions > 0 || rules.max_cost_per_day_usd > 0;
}

/** Returns what a session on a locked repository would exceed. */
export async function findInCounts(
  trx: Transaction<DB>,
  { id, orgId, maxCostUsd }: { id: string; orgId: string; maxCostUsd: number | undefined },
  { repository, rules }: GuardedRules,
  now: Date,
): Promise<Finding | undefined> {
  const { max_sessions_per_day: perDay, max_concurrent_sessions: atOnce, max_cost_per_day_usd: costPerDay } = rules;
  const since = startOfDay(now);
  if (perDay > 0) {
    const used = await countCreated(trx, orgId, repository.id, { since, butFor: id });
    if (used >= perDay) return limitFinding('max_sessions_per_day', 'create', repository, { used, allowed: perDay });
  }
  if (atOnce === 0 && costPerDay === 0) return undefined;
  const active = await readActive(trx, orgId, repository.id, id);
  const used = active.dispatched + active.queued;
  if (atOnce > 0 && used >= atOnce)
    return limitFinding('max_concurrent_sessions', 'create', repository, { used, allowed: atOnce });
  if (costPerDay === 0) return undefined;
  const cost = (await readSpent(trx, orgId, repository.id, dayOf(now))) + active.committed_usd;
  if (cost >= costPerDay || cost + (maxCostUsd ?? 0) > costPerDay + 1e-9)
    return limitFinding('max_cost_per_day_usd', 'create', repository, { used: cost, allowed: costPerDay });
  return undefined;
}

/** Runs a mutation of a caller, of an existing session if given, and records the violation that stops it. */
export async function recordingBlocks<T>(
  ctx: AdmissionContext,
  caller: Caller,
  work: () => Promise<T>,
  sessionId = '',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GuardrailBlocked)) throw error;
    const { finding, repository } = error;
    const by = `${caller.principal.type} ${caller.principal.id}`;
    await recordViolations(ctx, caller.organization.id, [{ repository, sessionId, finding, by }]);
    throw error;
  }
}

export type DispatchAdmission =
  | { outcome: 'admitted' }
  | { outcome: 'waits'; queue: string }
  | { outcome: 'refused'; message: string };

/**
 * Admits a session to be dispatched under the current rules. It waits while too many others run on a repository of it, and
 * is refused, with a recorded violation, beyond the cost of a day, or if its origin is not allowed any more.
 */
export async function admitDispatch(
  trx: Transaction<DB>,
  session: { id: string; orgId: string; origin: Origin },
  now: Date,
): Promise<DispatchAdmission> {
  const { id, orgId, origin } = session;
  if (!(await hasDispatchRules(trx, orgId))) return { outcome: 'admitted' };
  for (const { repository, rules } of await rulesOfSession(trx, orgId, id)) {
    const { max_concurrent_sessions: atOnce, max_cost_per_day_usd: costPerDay } = rules;
    let finding = originFinding(rules, origin, 'dispatch');
    if (finding === undefined && costPerDay > 0) {
      const used = await readSpent(trx, orgId, repository.id, dayOf(now));
      if (used >= costPerDay)
        finding = limitFinding('max_cost_per_day_usd', 'dispatch', repository, { used, allowed: costPerDay });
    }
    if (finding !== undefined) {
      await recordViolationsIn(trx, orgId, [{ repository, sessionId: id, finding, isFatal: true }], now);
      return { outcome: 'refused', message: finding.message };
    }
    if (atOnce === 0) continue;
    await lockCounts(trx, orgId, repository.id);
    const { dispatched } = await readActive(trx, orgId, repository.id, id);
    if (dispatched >= atOnce) return { outcome: 'waits', queue: queueOf(orgId, repository.id) };
  }
  return { outcome: 'admitted' };
}

/** Returns the rules of each repository of a session, in the order of their ids. */
export async function rulesOfSession(db: Kysely<DB>, orgId: string, sessionId: string): Promise<GuardedRules[]> {
  const rows = await readRepositoriesOf(db, orgId, sessionId);
  const repositories = rows.map(({ id, provider, repo }) => ({ id, provider: provider ?? '', repo: repo ?? '' }));
  return rulesOf(db, orgId, repositories);
}

function originFinding(
  { allowed_origins: allowed }: Rules,
  origin: Origin,
  stage: 'create' | 'dispatch',
): Finding | undefined {
  if (allowed.length === 0 || allowed.includes(origin)) return undefined;
  const message = `Sessions with the origin "${origin}" are not allowed here; allowed: ${allowed.join(', ')}.`;
  return { rule: 'allowed_origins', stage, action: 'blocked', message, items: [origin] };
}

/** Returns what a session's budget exceeds. */
function budgetFinding({ max_cost_per_session_usd: allowed }: Rules, used: number | undefined): Finding | undefined {
  if (allowed === 0 || used === undefined || used <= allowed) return undefined;
  const message = `The budget of a session may be at most ${allowed} USD here. Send a lower max_cost_usd, or none.`;
  return { rule: 'max_cost_per_session_usd', stage: 'create', action: 'blocked', message, used, allowed };
}

const limitTexts = {
  max_sessions_per_day: (used: number, allowed: number) =>
    `${used} of ${allowed} sessions were created today. The next day starts at midnight UTC.`,
  max_concurrent_sessions: (used: number, allowed: number) =>
    `${used} of ${allowed} sessions are queued or run. Wait until one ends, or cancel one.`,
  max_cost_per_day_usd: (used: number, allowed: number) =>
    `${Number(used.toFixed(6))} of ${allowed} USD of today are used or reserved. The next day starts at midnight UTC.`,
  max_open_change_requests: (used: number, allowed: number) =>
    `${used} of ${allowed} change requests of sessions are open. Merge or close one first.`,
};

export function limitFinding(
  rule: keyof typeof limitTexts,
  stage: Finding['stage'],
  { repo }: GuardedRepository,
  { used, allowed }: { used: number; allowed: number },
): Finding {
  const where = repo === '' ? 'of sessions without a repository' : `of ${repo}`;
  const message = `Limit reached: the guardrail ${where} allows no more. ${limitTexts[rule](used, allowed)}`;
  return { rule, stage, action: 'blocked', message, used, allowed };
}

function startOfDay(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000);
}
