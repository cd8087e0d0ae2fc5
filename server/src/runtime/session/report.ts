import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import type { Check } from './check.ts';
import type { Verification } from './decide.ts';
import type { SensitiveFile } from './sensitive-files.ts';

/** What a change request says about the work behind it. */
export interface Report {
  sessionId: string;
  sessionUrl: string;
  /** What was asked for. */
  prompt: string;
  /** What the agent says it did; `''` when it says nothing. */
  summary: string;
  outcome: Exclude<Verification, ''>;
  check: Check | undefined;
  /** The check on the base commit and on the commit that is delivered. */
  before: Evidence | undefined;
  after: Evidence | undefined;
  baseCommit: string;
  headCommit: string;
  sensitive: readonly SensitiveFile[];
  /** What the organization gives to every change request. */
  labels: readonly string[];
  reviewers: readonly string[];
}

const maxPromptLength = 4_000;
const maxSummaryLength = 10_000;
const maxListedFiles = 200;

/** The body of a change request, in Markdown. */
export function changeRequestBody(report: Report): string {
  const { summary, sessionId, sessionUrl } = report;
  const parts = [
    summary.trim() === '' ? '' : cut(summary.trim(), maxSummaryLength),
    `## What was asked\n\n${quoted(cut(report.prompt.trim(), maxPromptLength))}`,
    `## How it was checked\n\n${outcomeText(report)}`,
    evidenceText(report),
    sensitiveText(report.sensitive),
    listText('Labels', report.labels),
    listText('Reviewers', report.reviewers),
    `---\nMade by the Guildhall session [${sessionId}](${sessionUrl}).`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function outcomeText({ outcome, check, baseCommit, headCommit }: Report): string {
  const base = `the base commit ${inlineCode(baseCommit.slice(0, 12))}`;
  const head = inlineCode(headCommit.slice(0, 12));
  const what = check === undefined ? '' : `The check ${inlineCode(oneLine(check.command))} (${sources[check.source]})`;
  switch (outcome) {
    case 'fixed':
      return `**Verified: fixed.** ${what} fails on ${base} and passes on ${head}, each run in a clean sandbox.`;
    case 'not_reproduced':
      return `**Not verified: the problem was not reproduced.** ${what} passes on ${head}, but it passes on ${base} too, so it does not show that this change solves the task.`;
    case 'no_check':
      return '**Not verified: there was no check.** Neither the session, its agent nor the repository names a command that tells whether the task is done.';
    case 'failed':
      return `**Verification failed.** ${what} fails on ${head}.`;
  }
}

const sources = {
  session: 'given with the session',
  agent: 'written by the agent',
  repository: "the repository's own",
  detected: "detected from the repository's files",
} as const;

function evidenceText({ before, after, check }: Report): string {
  const runs = [
    { name: 'Before', evidence: before },
    { name: 'After', evidence: after },
  ].flatMap(({ name, evidence }) => (evidence === undefined ? [] : [{ name, evidence }]));
  if (runs.length === 0) return '';
  const rows = runs.map(
    ({ name, evidence }) => `| ${name} | ${evidence.exit_code ?? ''} | ${duration(evidence.duration_ms)} |`,
  );
  const table = ['| | exit code | duration |', '|---|---|---|', ...rows].join('\n');
  const command = check === undefined ? '' : `${fenced(check.command, 'sh')}\n\n`;
  const files = check?.files.map(({ path }) => inlineCode(path)).join(', ') ?? '';
  const written = files === '' ? '' : `\n\nFiles of the check, the same in both runs: ${files}.`;
  const told = runs.filter(({ evidence }) => evidence.output_tail.trim() !== '');
  const outputs = told.map(
    ({ name, evidence }) =>
      `<details><summary>${name}: the end of its output</summary>\n\n${fenced(evidence.output_tail)}\n\n</details>`,
  );
  return [`${command}${table}${written}`, ...outputs].join('\n\n');
}

function sensitiveText(files: readonly SensitiveFile[]): string {
  if (files.length === 0) return '';
  const lines = files
    .slice(0, maxListedFiles)
    .map(({ path, kind, change }) => `- ${change}: ${inlineCode(path)} (${kind})`);
  const more = files.length - lines.length;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  const intro = 'These files decide what a check means. Look at them first.';
  return `## Test and build files that were deleted or altered\n\n${intro}\n\n${[...lines, ...rest].join('\n')}`;
}

function listText(name: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${name}: ${items.map((item) => inlineCode(oneLine(item))).join(', ')}`;
}

/** The message of every commit of a session. */
export function commitMessage(session: { id: string; title: string; prompt: string }): string {
  return `${titleOf(session)}\n\nGuildhall-Session: ${session.id}\n`;
}

/** One line that names the session's work. */
export function titleOf(session: { title: string; prompt: string }): string {
  const text = session.title.trim() || (session.prompt.trim().split('\n', 1)[0] ?? '');
  return cut(oneLine(text), 200) || 'Changes of a Guildhall session';
}

/** What the agent is told when its work did not pass. */
export function feedbackText(evidence: Evidence): string {
  return [
    'The platform ran the check on your work in a clean sandbox, and it fails. Find out why and go on until it passes.',
    `Command:\n${fenced(evidence.command, 'sh')}`,
    `Exit code: ${evidence.exit_code ?? 'none'}\n\nThe end of its output:\n${fenced(evidence.output_tail)}`,
  ].join('\n\n');
}

/** A code block that its content cannot end. */
function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function inlineCode(text: string): string {
  const mark = '`'.repeat(longestRun(text) + 1);
  const padding = mark.length > 1 ? ' ' : '';
  return `${mark}${padding}${text}${padding}${mark}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function oneLine(text: string): string {
  return cut(text.replaceAll(/\s+/g, ' ').trim(), 300);
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
