import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import type { FileLines } from './diff-lines.ts';
import { insertFinding, listDismissed, updateFindingRow, type lockFindings } from './finding-store.ts';
import { dismissedNeighbor, matchFindings, type PlacedFinding } from './fingerprint.ts';
import type { ReviewRow } from './store.ts';

export type StoredFinding = Awaited<ReturnType<typeof lockFindings>>[number];

export interface Comparison {
  trx: Transaction<DB>;
  now: Date;
  review: ReviewRow;
  known: readonly StoredFinding[];
  found: readonly PlacedFinding[];
  lines: ReadonlyMap<string, FileLines>;
  /** True if what is no longer reported is gone. */
  isExhaustive: boolean;
}

/** Stores what a review found: a known finding stays one, a dismissed one stays dismissed, and one that is gone is resolved. */
export async function storeFindings(comparison: Comparison): Promise<void> {
  const { trx, now, review, known, found, lines, isExhaustive } = comparison;
  const matches = matchFindings(found, known, lines);
  const decided = await decidedBefore(comparison, matches);
  for (const finding of found) {
    const match = matches.get(finding);
    const reason = match === undefined ? decided.get(finding) : match.status === 'dismissed' ? match.reason : undefined;
    const status = reason === undefined ? 'open' : 'dismissed';
    const values = { ...rowOf(finding), status, reason: reason ?? '', review_id: review.id, updated_at: now } as const;
    if (match !== undefined) await updateFindingRow(trx, match.id, values);
    else await insertFinding(trx, { ...values, ...placeOf(review, now) });
  }
  const taken = new Set([...matches.values()].map(({ id }) => id));
  const rest = known.filter(({ id, status }) => status === 'open' && !taken.has(id));
  const gone = rest.filter((finding) => isExhaustive || isGone(finding, lines.get(finding.file)));
  for (const { id } of gone)
    await updateFindingRow(trx, id, { status: 'resolved', reason: review.head_sha, updated_at: now });
}

/** Returns why new findings are dismissed: next to a dismissed one of this change request, or the same as one of another. */
async function decidedBefore(
  { trx, review, known, found, lines }: Comparison,
  matches: ReadonlyMap<PlacedFinding, StoredFinding>,
): Promise<Map<PlacedFinding, string>> {
  const unknown = found.filter((finding) => !matches.has(finding));
  const dismissed = known.filter(({ status }) => status === 'dismissed');
  const elsewhere = await listDismissed(trx, review.repository_id, review.change_request_id, unknown);
  const reasons = new Map<PlacedFinding, string>();
  for (const finding of unknown) {
    const neighbor = dismissedNeighbor(finding, dismissed, lines);
    const before = elsewhere.find(
      ({ fingerprint, file, category, anchor }) =>
        fingerprint === finding.fingerprint ||
        (anchor === finding.anchor && file === finding.file && category === finding.category),
    );
    if (neighbor !== undefined) reasons.set(finding, because('Next to a dismissed finding', neighbor.reason));
    else if (before !== undefined)
      reasons.set(finding, because(`Dismissed in change request ${before.number}`, before.reason));
  }
  return reasons;
}

function because(what: string, reason: string): string {
  return (reason === '' ? what : `${what}: ${reason}`).slice(0, 2_000);
}

/** Returns true if the line of a finding is no longer part of the change. */
function isGone({ anchor }: StoredFinding, file: FileLines | undefined): boolean {
  if (file === undefined) return true;
  return anchor !== '' && ![...file.text.values()].some((text) => text.trim() === anchor);
}

function rowOf(finding: PlacedFinding) {
  const { severity, confidence, category, title, body, file, line, start_line, fingerprint, anchor } = finding;
  const { suggestion = '', evidence = '', inDiff, reproduced, reproduction } = finding;
  const place = { line: line ?? null, start_line: start_line ?? null, side: 'new' as const, in_diff: inDiff };
  const shown = { severity, confidence, category, title, body, suggestion, evidence };
  return { ...shown, file, ...place, reproduced, command: reproduction?.command ?? '', fingerprint, anchor };
}

function placeOf({ id, org_id, repository_id, change_request_id, number }: ReviewRow, now: Date) {
  const place = { org_id, repository_id, change_request_id, number };
  return { ...place, id: newId('fnd', now.getTime()), first_review_id: id, created_at: now };
}
