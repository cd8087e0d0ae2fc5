import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { filterValues, repositoryValues, textValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate, recordSystemAct } from '../../mutation/mutate.ts';
import { redact } from '../../mutation/redact.ts';
import { ruleNames, type Finding } from './rules.ts';
import type { ViolationQuery } from './schemas.ts';
import {
  acknowledgeRow,
  insertViolation,
  listViolationRows,
  lockViolation,
  readViolation,
  violationsQuery,
} from './violation-store.ts';

type ViolationContext = Pick<Context, 'db' | 'clock'>;

/** Bounds of recorded evidence. */
const maxItems = 20;
const maxItemLength = 300;
const maxMessageLength = 2_000;

/** A violation to record. */
export interface NewViolation {
  /** Undefined for a session without a repository. */
  repository: { id: string; provider: string; repo: string } | undefined;
  /** `''` for a session that was not created. */
  sessionId: string;
  /** Already masked. */
  finding: Finding;
  /** True if it ended the session. */
  isFatal?: boolean;
  /** The principal of a rejected request. */
  by?: string;
}

export async function listViolations(ctx: Pick<Context, 'db'>, caller: Actor, query: ViolationQuery) {
  const orgId = caller.organization.id;
  const { repo, rule, session_id } = query;
  const rows = violationsQuery(ctx.db.kysely, orgId, {
    repositories: repositoryValues('repo', repo),
    rules: filterValues('rule', rule, ruleNames),
    sessionIds: textValues('session_id', session_id),
  });
  const page = await paginate({
    list: 'violations',
    filters: { orgId, repo, rule, session_id },
    query,
    rows: (after, limit) => listViolationRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return page;
}

/** Throws 404 `violation_not_found`. */
export async function getViolation(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  const row = await readViolation(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('violation', id);
  return row;
}

/** Acknowledges a violation; the first acknowledgement stays. Throws 404 `violation_not_found`. */
export async function acknowledgeViolation(ctx: ViolationContext, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await lockViolation(trx, orgId, id);
    if (row === undefined) throw notFound('violation', id);
    if (row.acknowledged_at !== null) return row;
    const { type, id: by } = caller.principal;
    const at = ctx.clock.now();
    await acknowledgeRow(trx, orgId, id, { type, id: by, at });
    audit({ action: 'violation.acknowledge', resource: { type: 'violation', id } });
    return { ...row, acknowledged_by: { type, id: by, name: caller.principal.name }, acknowledged_at: at };
  });
}

/**
 * Records violations, each with its audit entry and domain event; equal ones within a minute are one, with a count. Returns
 * their ids.
 */
export async function recordViolations(
  ctx: ViolationContext,
  orgId: string,
  violations: readonly NewViolation[],
): Promise<string[]> {
  if (violations.length === 0) return [];
  return ctx.db.transaction((trx) => recordViolationsIn(trx, orgId, violations, ctx.clock.now()));
}

/** The same, in the caller's transaction. */
export async function recordViolationsIn(
  trx: Transaction<DB>,
  orgId: string,
  violations: readonly NewViolation[],
  now: Date,
): Promise<string[]> {
  const ids: string[] = [];
  for (const violation of violations) {
    const { repository, sessionId, finding } = violation;
    const action = violation.isFatal === true ? 'killed' : finding.action;
    const evidence = evidenceOf(finding);
    const { id, is_new: isNew } = await insertViolation(trx, {
      id: newId('vio', now.getTime()),
      org_id: orgId,
      repository_id: repository?.id ?? '',
      provider: repository?.provider ?? '',
      repo: repository?.repo ?? '',
      rule: finding.rule,
      action,
      session_id: sessionId,
      evidence: JSON.stringify(redact(evidence)),
      fold: foldOf(violation, action, now),
      created_at: now,
    });
    ids.push(id);
    if (!isNew) continue;
    const facts = { rule: finding.rule, action, session_id: sessionId, repository_id: repository?.id ?? '' };
    const resource = { type: 'violation', id };
    await recordSystemAct(
      trx,
      orgId,
      'guardrails',
      { action: 'violation.create', resource, changes: facts, data: facts },
      now,
    );
  }
  return ids;
}

function evidenceOf({ stage, message, used, allowed, items = [] }: Finding) {
  return {
    stage,
    message: cut(message, maxMessageLength),
    used: used ?? null,
    allowed: allowed ?? null,
    items: items.slice(0, maxItems).map((item) => cut(item, maxItemLength)),
  };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** Equal violations within a minute have the same. A limit's current value does not count: it differs with each try. */
function foldOf({ repository, sessionId, finding, by = '' }: NewViolation, action: string, now: Date): string {
  const { rule, stage, items = [] } = finding;
  const parts = [Math.floor(now.getTime() / 60_000), repository?.id ?? '', sessionId, rule, stage, action, by, items];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
