import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { insertComment, lockComment, updateCommentRow } from '../repositories/public.ts';
import { rank } from './fingerprint.ts';
import { updateFindingRow, type lockFindings } from './finding-store.ts';
import { isAsSevere } from './output.ts';
import type { Policy } from './schemas.ts';
import type { ReviewRow } from './store.ts';

type StoredFinding = Awaited<ReturnType<typeof lockFindings>>[number];

interface Posting {
  review: ReviewRow;
  policy: Policy;
  summary: string;
  /** All findings of the change request. */
  findings: readonly StoredFinding[];
  /** Those that are gone since the last review. */
  resolved: readonly StoredFinding[];
  /** The comment with the summary of the last review; `''` for none. */
  last: string;
  now: Date;
}

/**
 * Posts a review on a change request of the built-in host: a comment for each new finding that matters, and one with the
 * summary, which the next review rewrites. Returns the id of the latter.
 */
export async function postReview(trx: Transaction<DB>, posting: Posting): Promise<string> {
  const { review, findings, resolved, now } = posting;
  for (const { comment_id } of resolved)
    if (comment_id !== '') await updateCommentRow(trx, comment_id, { resolved: true });
  const posted: string[] = [];
  for (const finding of choose(posting)) {
    const { file, line, start_line, side } = finding;
    const id = await comment(trx, review, now, { body: textOf(finding), path: file, line, start_line, side });
    await updateFindingRow(trx, finding.id, { comment_id: id, updated_at: now });
    posted.push(finding.id);
  }
  const body = summaryText(
    posting,
    findings.filter(({ id, comment_id }) => comment_id === '' && !posted.includes(id)),
  );
  const known =
    posting.last === '' ? undefined : await lockComment(trx, review.org_id, review.change_request_id, posting.last);
  if (known !== undefined) await updateCommentRow(trx, known.id, { body });
  const id = known?.id ?? (await comment(trx, review, now, { body }));
  const resource = { type: 'change_request', id: review.change_request_id };
  const fact = {
    action: 'change_request.comment',
    resource,
    changes: { comment_id: id, review_id: review.id },
  } as const;
  await recordSystemAct(trx, review.org_id, 'Review', fact, now);
  return id;
}

/** Chooses the findings that get a comment of their own, the most severe first. */
function choose({ review, policy, findings }: Posting): StoredFinding[] {
  const { min_severity, min_confidence, max_comments } = policy;
  return findings
    .filter(({ status, review_id, comment_id }) => status === 'open' && review_id === review.id && comment_id === '')
    .filter(({ in_diff, line }) => in_diff && line !== null)
    .filter(({ severity, confidence }) => isAsSevere(severity, min_severity) && confidence >= min_confidence)
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(0, max_comments);
}

interface Content {
  body: string;
  path?: string;
  line?: number | null;
  start_line?: number | null;
  side?: 'old' | 'new';
}

async function comment(trx: Transaction<DB>, review: ReviewRow, now: Date, content: Content): Promise<string> {
  const { id } = await insertComment(trx, {
    id: newId('crc', now.getTime()),
    org_id: review.org_id,
    change_request_id: review.change_request_id,
    author_type: 'session',
    author_id: review.session_id,
    created_at: now,
    ...content,
  });
  return id;
}

function textOf({ severity, title, body, suggestion, evidence }: StoredFinding): string {
  return [
    `**${severity}: ${title}**`,
    body,
    ...(suggestion === '' ? [] : [block(suggestion)]),
    ...(evidence === '' ? [] : [`Shown by:\n\n${block(evidence)}`]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Fences a text as code, with more backquotes than it has in a row. */
function block(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

function summaryText({ review, summary, findings, resolved }: Posting, others: readonly StoredFinding[]): string {
  const open = findings.filter(({ status }) => status === 'open').length;
  const listed = others.filter(({ status }) => status === 'open').toSorted((one, other) => rank(other) - rank(one));
  const rows = listed
    .slice(0, 50)
    .map(({ severity, title, file, line }) => `- ${severity}: ${title} (${placeText(file, line)})`);
  return [
    `**Review of ${review.head_sha.slice(0, 12)}**: ${count(open, 'open finding')}, ${resolved.length} resolved since the last review.`,
    summary,
    ...(rows.length === 0 ? [] : [`Without a comment of their own:\n\n${rows.join('\n')}`]),
    ...(listed.length > rows.length ? [`… and ${listed.length - rows.length} more.`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function placeText(file: string, line: number | null): string {
  return `\`${file.replaceAll('`', "'")}${line === null ? '' : `:${line}`}\``;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
