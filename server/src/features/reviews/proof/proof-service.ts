import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { requireRepository } from '../../repositories/service.ts';
import { createSession } from '../../sessions/api/create-service.ts';
import { noContext } from '../../sessions/api/no-context.ts';
import { ensureAgent } from '../../agents/service.ts';
import type { PlacedFinding } from '../fingerprint.ts';
import { reviewerOf, type StartContext } from '../reviewer.ts';
import { lockLinters, lockReview, readReviewSession, updateReview, type ReviewRow } from '../store.ts';
import { evidenceOf, judge, ProofOutput } from './judge.ts';

const program = readFileSync(new URL('proofs.mjs', import.meta.url), 'utf8');
const end = 'GUILDHALL_PROOFS';
const maxCommands = 20;

const agent = {
  name: 'Reproduction',
  description:
    'Runs the commands that a review named on both commits of a change, to see if they show what it claims. Guildhall keeps this agent current; to change it, create another one.',
  runtime: 'script',
  runtime_config: {
    steps: [{ run: `cat > /tmp/guildhall-proofs.mjs <<'${end}'\n${program}${end}\nnode /tmp/guildhall-proofs.mjs` }],
    summary: 'The commands ran on the head and on the base of the change.',
  },
} as const;

/** The review may no longer start a session. */
class NotStartable extends Error {}

interface Command {
  id: string;
  command: string;
  expects: string;
}

function commandsOf(findings: readonly PlacedFinding[]): Command[] {
  return findings
    .flatMap(({ fingerprint, reproduction }) => {
      if (reproduction === undefined || reproduction.command.trim() === '') return [];
      return [{ id: fingerprint, command: reproduction.command, expects: reproduction.expects ?? '' }];
    })
    .slice(0, maxCommands);
}

/**
 * Starts a session that runs the commands of findings, in a sandbox of its own. Returns false if there is nothing to run, or if
 * the organization may not start one; the findings then count as the reviewer reported them.
 */
export async function startProof(
  ctx: StartContext,
  review: ReviewRow,
  findings: readonly PlacedFinding[],
): Promise<boolean> {
  const commands = commandsOf(findings);
  if (commands.length === 0) return false;
  const { org_id: orgId, repository_id, number, base_sha, head_sha } = review;
  const { provider, repo } = await requireRepository(ctx, orgId, repository_id);
  const agentId = await ctx.db.transaction(async (trx) => {
    await lockLinters(trx, orgId);
    return ensureAgent(trx, orgId, agent, ctx.clock.now());
  });
  const session = {
    agent_id: agentId,
    origin: 'review' as const,
    title: `Reproduce findings of ${repo}#${number}`,
    prompt: `Run the commands of findings on both commits.\n\nbase: ${base_sha}\nhead: ${head_sha}\ncommands: ${JSON.stringify(commands)}`,
    repositories: [{ provider, repo, ref: head_sha }],
    deliver: 'none' as const,
    // What the author of the change wrote runs here, and the author may be anybody.
    ...noContext,
    structured_output_schema: { ...ProofOutput },
    structured_output_required: true,
  };
  try {
    await createSession(ctx, await reviewerOf(ctx, review), session, async (trx, sessionId) => {
      const row = await lockReview(trx, review.id);
      const isWaiting = row?.status === 'running' || row?.status === 'queued';
      if (!isWaiting || row.proof_session_id !== '') throw new NotStartable();
      await updateReview(trx, review.id, { proof_session_id: sessionId, updated_at: ctx.clock.now() });
    });
    return true;
  } catch (error) {
    if (error instanceof NotStartable) return true;
    if (error instanceof AppError && error.code !== 'capacity_unavailable') return false;
    throw error;
  }
}

/** Returns true while the session that runs commands has not ended. */
export async function isProving(
  ctx: Pick<Context, 'db'>,
  { org_id, proof_session_id: id }: ReviewRow,
): Promise<boolean> {
  if (id === '') return false;
  const session = await readReviewSession(ctx.db.kysely, org_id, id);
  return session !== undefined && !['completed', 'failed', 'canceled'].includes(session.status);
}

/** Returns findings with what the platform saw of their commands. */
export async function withProofs(
  ctx: Pick<Context, 'db'>,
  { org_id, proof_session_id: id }: ReviewRow,
  findings: readonly PlacedFinding[],
): Promise<PlacedFinding[]> {
  const session = id === '' ? undefined : await readReviewSession(ctx.db.kysely, org_id, id);
  const output = session?.structured_output;
  const runs = new Map(Value.Check(ProofOutput, output) ? output.runs.map((run) => [run.id, run]) : []);
  return findings.map((finding) => {
    const run = runs.get(finding.fingerprint);
    const { reproduction } = finding;
    if (run === undefined || reproduction === undefined) return finding;
    const verdict = judge(run, reproduction.expects ?? '');
    if (verdict === 'unproved') return finding;
    const evidence = evidenceOf(reproduction.command, run);
    return verdict === 'reproduced'
      ? { ...finding, evidence, confidence: 1, reproduced: true }
      : { ...finding, evidence, severity: 'pre_existing' as const };
  });
}
