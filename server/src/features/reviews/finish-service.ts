import type { Transaction } from 'kysely';
import { Value } from 'typebox/value';
import { agentDriver } from '../../adapters/agent/drivers.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import { publish } from '../../outbox/publish.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { requireRepository, type RepositoryRow } from '../repositories/service.ts';
import { linesOf, type FileLines } from './diff-lines.ts';
import { failReview } from './end-service.ts';
import { insertFinding, listDismissed, lockFindings, updateFindingRow } from './finding-store.ts';
import { matchFindings, placeFindings, type PlacedFinding } from './fingerprint.ts';
import { isAsSevere, ReviewOutput } from './output.ts';
import { policyOf } from './policy-service.ts';
import { postReview } from './post-service.ts';
import type { Policy } from './schemas.ts';
import { listCompleted, lockReview, updateReview, type readReviewSession, type ReviewRow } from './store.ts';

export type FinishContext = Pick<Context, 'db' | 'clock' | 'sourceControl'>;
type ReviewSession = NonNullable<Awaited<ReturnType<typeof readReviewSession>>>;
type StoredFinding = Awaited<ReturnType<typeof lockFindings>>[number];

/**
 * Stores what a reviewer found: a finding that was known stays one, and one that is gone is resolved. A review that a newer
 * one overtook is superseded and changes nothing.
 */
export async function finishReview(ctx: FinishContext, review: ReviewRow, session: ReviewSession): Promise<void> {
  const { org_id: orgId, repository_id, base_sha, head_sha } = review;
  const output = session.structured_output;
  if (!Value.Check(ReviewOutput, output))
    return ctx.db.transaction((trx) => failReview(ctx, trx, review, 'The reviewer submitted no findings.'));
  const repository = await requireRepository(ctx, orgId, repository_id);
  const { files } = await ctx.sourceControl
    .of(repository.provider)
    .compare(refOf(orgId, repository), base_sha, head_sha);
  const lines = linesOf(files);
  const found = placeFindings(output.findings, lines);
  const isExhaustive = agentDriver(session.runtime).capabilities.declaresWork;
  await ctx.db.transaction(async (trx) => {
    const row = await lockReview(trx, review.id);
    if (row?.status !== 'queued' && row?.status !== 'running') return;
    const now = ctx.clock.now();
    const [last] = await listCompleted(trx, review.change_request_id);
    if (last !== undefined && last.id > review.id) {
      await updateReview(trx, review.id, { status: 'superseded', completed_at: now, updated_at: now });
      return;
    }
    const policy = await policyOf(trx, orgId, repository_id);
    const known = await lockFindings(trx, review.change_request_id);
    const { open, resolved } = await store({ trx, now, review, known, found, lines, isExhaustive });
    const verdict = open.some(({ severity }) => requests(policy, severity)) ? 'request_changes' : 'comment';
    const posted = await post(trx, { repository, row, policy, output, resolved, last: last?.comment_id ?? '', now });
    const end = { status: 'completed' as const, verdict, completed_at: now, updated_at: now } as const;
    await updateReview(trx, review.id, { ...end, summary: output.summary, comment_id: posted });
    await publish(trx, {
      orgId,
      type: 'review.completed',
      resource: { type: 'review', id: review.id },
      actor: { type: 'session', id: session.id },
    });
  });
}

function requests({ request_changes_from: from }: Policy, severity: StoredFinding['severity']): boolean {
  return from !== '' && isAsSevere(severity, from);
}

interface Comparison {
  trx: Transaction<DB>;
  now: Date;
  review: ReviewRow;
  known: readonly StoredFinding[];
  found: readonly PlacedFinding[];
  lines: ReadonlyMap<string, FileLines>;
  /** True if what is no longer reported is gone. */
  isExhaustive: boolean;
}

/** Stores findings. Returns those that are open, and those that are gone. */
async function store({ trx, now, review, known, found, lines, isExhaustive }: Comparison) {
  const matches = matchFindings(found, known);
  const { change_request_id, repository_id } = review;
  const fingerprints = found.filter((finding) => !matches.has(finding)).map(({ fingerprint }) => fingerprint);
  const dismissed = new Map(
    (await listDismissed(trx, repository_id, change_request_id, fingerprints)).map((row) => [row.fingerprint, row]),
  );
  const open: { severity: StoredFinding['severity'] }[] = [];
  for (const finding of found) {
    const match = known.find(({ id }) => id === matches.get(finding)?.id);
    const before = dismissed.get(finding.fingerprint);
    const status =
      match?.status === 'dismissed' || (match === undefined && before !== undefined) ? 'dismissed' : 'open';
    if (status === 'open') open.push(finding);
    const values = { ...rowOf(finding), status, review_id: review.id, updated_at: now } as const;
    if (match !== undefined)
      await updateFindingRow(trx, match.id, { ...values, reason: status === 'open' ? '' : match.reason });
    else await insertFinding(trx, { ...values, ...placeOf(review, now), reason: reasonOf(before) });
  }
  const taken = new Set([...matches.values()].map(({ id }) => id));
  const rest = known.filter(({ id, status }) => status === 'open' && !taken.has(id));
  const resolved = rest.filter((finding) => isExhaustive || isGone(finding, lines.get(finding.file)));
  for (const { id } of resolved)
    await updateFindingRow(trx, id, { status: 'resolved', reason: review.head_sha, updated_at: now });
  return { open: [...open, ...rest.filter((finding) => !resolved.includes(finding))], resolved };
}

/** Returns true if the line of a finding is no longer part of the change. */
function isGone({ anchor }: StoredFinding, file: FileLines | undefined): boolean {
  if (file === undefined) return true;
  return anchor !== '' && ![...file.text.values()].some((text) => text.trim() === anchor);
}

function rowOf(finding: PlacedFinding) {
  const {
    severity,
    confidence,
    category,
    title,
    body,
    suggestion = '',
    file,
    line,
    start_line,
    evidence = '',
  } = finding;
  const place = { line: line ?? null, start_line: start_line ?? null, side: 'new' as const, in_diff: finding.inDiff };
  const { fingerprint, anchor } = finding;
  return { severity, confidence, category, title, body, suggestion, file, ...place, evidence, fingerprint, anchor };
}

function placeOf({ id, org_id, repository_id, change_request_id, number }: ReviewRow, now: Date) {
  const place = { org_id, repository_id, change_request_id, number };
  return { ...place, id: newId('fnd', now.getTime()), first_review_id: id, created_at: now };
}

function reasonOf(before: { number: number; reason: string } | undefined): string {
  if (before === undefined) return '';
  const why = before.reason === '' ? '' : `: ${before.reason}`;
  return `Dismissed in change request ${before.number}${why}`;
}

interface Posting {
  repository: RepositoryRow;
  row: ReviewRow;
  policy: Policy;
  output: ReviewOutput;
  resolved: readonly StoredFinding[];
  /** The comment with the summary of the last review; `''` for none. */
  last: string;
  now: Date;
}

/** Posts a review where the policy wants it and the platform can; returns the id of the comment with its summary. */
async function post(trx: Transaction<DB>, posting: Posting): Promise<string> {
  const { repository, row, policy, output, resolved, last, now } = posting;
  if (!policy.post || repository.provider !== 'local') return last;
  const findings = await lockFindings(trx, row.change_request_id);
  return postReview(trx, { review: row, policy, summary: output.summary, findings, resolved, last, now });
}
