import type { lockFindings } from '../finding-store.ts';
import { rank } from '../fingerprint.ts';
import { marked } from './markers.ts';

export type StoredFinding = Awaited<ReturnType<typeof lockFindings>>[number];

const maxListed = 50;
const maxPath = 300;

/** The comment on a finding's line. */
export function findingText({ id, severity, title, body, suggestion, evidence, reproduced }: StoredFinding): string {
  const parts = [
    `**${severity.replace('_', '-')}: ${title}**`,
    body,
    ...(suggestion === '' ? [] : [block(suggestion)]),
    ...(evidence === '' ? [] : [`${reproduced ? 'Reproduced' : 'Shown by'}:\n\n${block(evidence)}`]),
  ];
  return marked(joined(parts), 'finding', id);
}

export interface Summarized {
  id: string;
  head_sha: string;
  summary: string;
}

/** The comment with the summary of a review, which the next review rewrites. `findings` are all of the change request. */
export function summaryText(review: Summarized, findings: readonly StoredFinding[]): string {
  const { id, head_sha, summary } = review;
  const open = findings.filter(({ status }) => status === 'open');
  const resolved = findings.filter(({ status, reason }) => status === 'resolved' && reason === head_sha);
  const listed = open
    .filter(({ posting, thread_resolved }) => posting !== 'posted' || thread_resolved)
    .toSorted(byRank);
  const rows = listed
    .slice(0, maxListed)
    .map((one) => `- ${one.severity.replace('_', '-')}: ${one.title} (${placeText(one)})`);
  const parts = [
    `**Review of ${short(head_sha)}**: ${count(open.length, 'open finding')}, ${resolved.length} resolved since the last review.`,
    summary,
    ...(rows.length === 0 ? [] : [`Without an open thread:\n\n${rows.join('\n')}`]),
    ...(listed.length > rows.length ? [`… and ${listed.length - rows.length} more.`] : []),
  ];
  return marked(joined(parts), 'review', id);
}

/** The text of a review after the first one: the summary is in the comment of the first. */
export function laterText({ id, head_sha }: Summarized, comments: number): string {
  const news = comments === 0 ? 'The change has open findings' : count(comments, 'new finding');
  return marked(`${news} in ${short(head_sha)}.`, 'review', id);
}

export function resolvedText({ id, reason }: StoredFinding): string {
  return marked(`No longer there in ${short(reason)}.`, 'resolved', id);
}

/** Answers a claim that a finding is fixed. */
export function stillText(finding: StoredFinding, headSha: string): string {
  return marked(`Still there in ${short(headSha)}: ${placeText(finding)}.`, 'still', finding.id);
}

/** Answers a question about a finding with what is known of it. */
export function answerText({ id, category, confidence, evidence }: StoredFinding): string {
  const parts = [
    `The reviewer reported it as \`${category.replaceAll('`', "'")}\` with a confidence of ${Math.round(confidence * 100)} %.`,
    evidence === '' ? 'It named no command that shows it.' : `Shown by:\n\n${block(evidence)}`,
    "If it does not matter, reply “won't fix” or resolve the thread: it is not reported again.",
  ];
  return marked(joined(parts), 'answer', id);
}

export function byRank(one: StoredFinding, other: StoredFinding): number {
  return rank(other) - rank(one);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

/** Fences a text as code, with more backquotes than it has in a row. */
function block(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

function placeText({ file, line }: Pick<StoredFinding, 'file' | 'line'>): string {
  return `\`${file.slice(0, maxPath).replaceAll('`', "'")}${line === null ? '' : `:${line}`}\``;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
