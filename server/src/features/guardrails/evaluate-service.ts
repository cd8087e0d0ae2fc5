import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { checkChange } from './change-check.ts';
import { checkCommand } from './command-check.ts';
import { countOpen } from './admission-store.ts';
import { findInCounts, findUncounted, limitFinding, type GuardedRules } from './admission-service.ts';
import type { Finding } from './rules.ts';
import type { EvaluateGuardrails } from './schemas.ts';
import { scanContent, secretFinding, usualScanTime } from './secret-check.ts';
import { rulesFor } from './service.ts';

type EvaluateContext = Pick<Context, 'db' | 'clock'>;

/** Returns what a session and its work would violate now. Records nothing. */
export async function evaluateGuardrails(ctx: EvaluateContext, caller: Actor, input: EvaluateGuardrails) {
  const orgId = caller.organization.id;
  const { subject, rules } = await rulesFor(ctx, orgId, input.repo);
  const guarded = { repository: { id: subject.id, provider: '', repo: subject.repo }, rules };
  const findings = [
    ...(await creationFindings(ctx, orgId, guarded, input)),
    ...(await commandFindings(orgId, guarded, input.commands ?? [])),
    ...(await changeFindings(orgId, guarded, input)),
    ...(await openingFindings(ctx, orgId, guarded, input.opens_change_request === true)),
  ];
  return {
    allowed: findings.every(({ action }) => action === 'warned'),
    require_plan_approval: rules.require_plan_approval,
    findings: findings.map(({ used, allowed, items, ...finding }) => ({
      ...finding,
      used: used ?? null,
      allowed: allowed ?? null,
      items: [...(items ?? [])].slice(0, 20),
    })),
  };
}

async function creationFindings(
  ctx: EvaluateContext,
  orgId: string,
  guarded: GuardedRules,
  { origin = 'api', budget }: EvaluateGuardrails,
): Promise<Finding[]> {
  const now = ctx.clock.now();
  const maxCostUsd = budget?.max_cost_usd;
  const counted = await ctx.db.transaction((trx) => findInCounts(trx, { id: '', orgId, maxCostUsd }, guarded, now));
  return [findUncounted(guarded.rules, { origin, maxCostUsd }), counted].filter((finding) => finding !== undefined);
}

async function commandFindings(
  orgId: string,
  { rules }: GuardedRules,
  commands: readonly string[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const command of commands) {
    const finding = await checkCommand(orgId, rules, command);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function changeFindings(
  orgId: string,
  { rules }: GuardedRules,
  { branch = '', files = [] }: EvaluateGuardrails,
): Promise<Finding[]> {
  const changedLines = files.reduce((sum, { additions = 0, deletions = 0 }) => sum + additions + deletions, 0);
  const paths = files.map(({ path }) => path);
  const findings = await checkChange(rules, { branch, paths, changedFiles: files.length, changedLines });
  if (rules.secret_scan === 'off') return findings;
  const items: string[] = [];
  const partial: string[] = [];
  const time = usualScanTime();
  for (const { path, content = '' } of files) {
    const { places, isPartial } = await scanContent(orgId, path, oneChunk(content), time);
    items.push(...places.map(({ line, rule }) => `${path}:${line} ${rule}`));
    if (isPartial) partial.push(path);
  }
  const secrets = secretFinding(rules, { items, partial });
  return secrets === undefined ? findings : [...findings, secrets];
}

async function* oneChunk(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

async function openingFindings(
  ctx: EvaluateContext,
  orgId: string,
  { repository, rules }: GuardedRules,
  opens: boolean,
): Promise<Finding[]> {
  const allowed = rules.max_open_change_requests;
  if (!opens || allowed === 0 || repository.id === '') return [];
  const used = await countOpen(ctx.db.kysely, orgId, repository.id, { headRef: '', now: ctx.clock.now() });
  if (used < allowed) return [];
  return [limitFinding('max_open_change_requests', 'change_request', repository, { used, allowed })];
}
