import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { Check } from '../checks/check.ts';
import { toCheckResult, type Verification } from '../checks/outcome.ts';
import { fenced, inlineCode } from '../log/markdown.ts';
import { cutTo, oneLine } from '../log/short-text.ts';
import type { SensitiveFile } from '../../../git/sensitive-files.ts';

/** Content of a change request's body. */
export interface Report {
  sessionId: string;
  sessionUrl: string;
  prompt: string;
  /** The agent's summary of its work; `''` for none. */
  summary: string;
  outcome: Exclude<Verification, ''>;
  check: Check | undefined;
  /** New files of the change that were copied onto the base commit for the check. */
  addedFiles: readonly string[];
  /** Results of the check on the base commit and on the delivered commit. */
  before: Evidence | undefined;
  after: Evidence | undefined;
  baseCommit: string;
  headCommit: string;
  sensitive: readonly SensitiveFile[];
  /** Files of the work tree that cannot be delivered. */
  leftOut: readonly string[];
  /** The organization's labels and reviewers for change requests. */
  labels: readonly string[];
  reviewers: readonly string[];
}

const maxPromptLength = 4_000;
const maxSummaryLength = 10_000;
const maxListedFiles = 200;
const maxLeftOut = 20;

/** The body of a change request, in Markdown. */
export function changeRequestBody(report: Report): string {
  const { summary, sessionId, sessionUrl } = report;
  const parts = [
    summary.trim() === '' ? '' : cutTo(summary.trim(), maxSummaryLength),
    `## Task\n\n${quoted(cutTo(report.prompt.trim(), maxPromptLength))}`,
    `## Verification\n\n${outcomeText(report)}`,
    evidenceText(report),
    sensitiveText(report.sensitive),
    leftOutText(report.leftOut),
    listText('Labels', report.labels),
    listText('Reviewers', report.reviewers),
    `---\nCreated by the Guildhall session [${sessionId}](${sessionUrl}).`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function outcomeText({ outcome, check, addedFiles, before, after, baseCommit, headCommit }: Report): string {
  const base = `the base commit ${inlineCode(baseCommit.slice(0, 12))}`;
  const head = inlineCode(headCommit.slice(0, 12));
  const what = check === undefined ? '' : `The check ${inlineCode(oneLine(check.command))} (${sources[check.source]})`;
  const onBase =
    addedFiles.length === 0
      ? ''
      : ` (with new files of this change copied onto it: ${addedFiles.map(inlineCode).join(', ')})`;
  switch (outcome) {
    case 'fixed':
      return `**Verified: fixed.** ${what} fails on ${base}${onBase} and passes on ${head}, each in a clean sandbox.`;
    case 'not_reproduced':
      if (before?.problem !== undefined)
        return `**Not verified: the check could not run on the base commit.** ${what} passes on ${head}, but could not run on ${base}${onBase}, so the result does not show that this change solves the task. ${before.problem}`;
      return `**Not verified: the problem was not reproduced.** ${what} passes on ${head}, but also on ${base}${onBase}, so the result does not show that this change solves the task.`;
    case 'no_check':
      return '**Not verified: there was no check.** Neither the session, its agent nor the repository defines a check command.';
    case 'could_not_run':
      return `**Not verified: the check could not run.** ${what} could run neither on ${base} nor on ${head}, so the change is not verified. ${after?.problem ?? ''} ${remedy}`;
    case 'failed':
      return `**Verification failed.** ${what} ${after?.problem === undefined ? 'fails' : 'could not run'} on ${head}.`;
  }
}

/** Advice for a check that could not run. */
const remedy =
  "Set the repository's `environment.setup_command` to install what the check needs, or set a `verify_command` that can run in its sandbox.";

/** Message to the user and the agent about a check that could not run, on the base commit or on both commits. */
export function couldNotRunText({ command, problem = '' }: Evidence, where: 'base' | 'both'): string {
  const check = inlineCode(oneLine(command));
  if (where === 'both')
    return `Not verified: the check ${check} could run neither on the base commit nor on the new commit. ${problem} ${remedy}`;
  return `The check ${check} could not run on the base commit. ${problem} Without a result on the base commit the check proves nothing. ${remedy} An agent can declare another check (set_check or GUILDHALL_CHECK). It runs in clean sandboxes, which contain what the setup command installs and the files of the check, but not what the agent installs during its work.`;
}

const sources = {
  session: 'set in the session',
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
    ({ name, evidence }) =>
      `| ${name} | ${results[toCheckResult(evidence)]} | ${evidence.exit_code ?? ''} | ${duration(evidence.duration_ms)} |`,
  );
  const table = ['| | result | exit code | duration |', '|---|---|---|---|', ...rows].join('\n');
  const command = check === undefined ? '' : `${fenced(check.command, 'sh')}\n\n`;
  const files = check?.files.map(({ path }) => inlineCode(path)).join(', ') ?? '';
  const written = files === '' ? '' : `\n\nFiles of the check, the same in both runs: ${files}.`;
  const withOutput = runs.filter(({ evidence }) => evidence.output_tail.trim() !== '');
  const outputs = withOutput.map(
    ({ name, evidence }) =>
      `<details><summary>${name}: end of the output</summary>\n\n${fenced(evidence.output_tail)}\n\n</details>`,
  );
  return [`${command}${table}${written}`, ...outputs].join('\n\n');
}

const results = { passed: 'passed', failed: 'failed', could_not_run: 'could not run' } as const;

function sensitiveText(files: readonly SensitiveFile[]): string {
  if (files.length === 0) return '';
  const lines = files.map(({ path, kind, change }) => `- ${change}: ${inlineCode(path)} (${kind})`);
  const intro = 'Review these files first: a change of them can make the check pass without solving the task.';
  return `## Test and build files that were deleted or altered\n\n${intro}\n\n${listed(lines, maxListedFiles)}`;
}

function leftOutText(files: readonly string[]): string {
  if (files.length === 0) return '';
  const intro =
    'This change lacks these files of the session: they are larger than 100 MiB, have a name that git refuses, or cannot be read.';
  return `## Files left out\n\n${intro}\n\n${listed(
    files.map((path) => `- ${inlineCode(oneLine(path))}`),
    maxLeftOut,
  )}`;
}

function listed(lines: readonly string[], most: number): string {
  const more = lines.length - most;
  return [...lines.slice(0, most), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function listText(name: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${name}: ${items.map((item) => inlineCode(oneLine(item))).join(', ')}`;
}

/** Feedback to the agent after a failed check. */
export function feedbackText(evidence: Evidence): string {
  const { problem } = evidence;
  return [
    problem === undefined
      ? 'The platform ran the check on your work in a clean sandbox, and it failed. Find the cause and continue until the check passes.'
      : `The platform ran the check on your work in a clean sandbox, and it could not run. ${problem} It ran on the commit you started from, so your changes are the cause. Find the cause and continue until the check passes.`,
    `Command:\n${fenced(evidence.command, 'sh')}`,
    `Exit code: ${evidence.exit_code ?? 'none'}\n\nEnd of the output:\n${fenced(evidence.output_tail)}`,
  ].join('\n\n');
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
