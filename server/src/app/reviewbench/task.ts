import { readFile } from 'node:fs/promises';
import { isRecord } from '../../lib/record.ts';

/** A pull request of ReviewBench, as its container contract describes it. */
export interface BenchTask {
  /** The checkout at the head. */
  repository: string;
  output: string;
  /** `owner/name`. */
  name: string;
  number: number;
  base: string;
  head: string;
  agent: string;
  url: string;
  title: string;
  body: string;
  /** `<provider>/<model>`; `''` for the linters. */
  model: string;
}

/** Reads the task from the environment `RB_…`. Throws a message that names what is missing. */
export async function readTask(environment: Readonly<Record<string, string | undefined>>): Promise<BenchTask> {
  const value = (name: string, fallback?: string): string => {
    const text = environment[name] ?? '';
    if (text !== '') return text;
    if (fallback !== undefined) return fallback;
    throw new Error(`${name} is not set. ReviewBench sets it for each pull request.`);
  };
  const [base, head] = [value('RB_BASE'), value('RB_HEAD')];
  for (const [name, commit] of Object.entries({ RB_BASE: base, RB_HEAD: head }))
    if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${name} must be a full commit id.`);
  const number = Number(value('RB_PR_NUMBER'));
  if (!Number.isSafeInteger(number) || number < 1) throw new Error('RB_PR_NUMBER must be a number.');
  const file = value('RB_PR_JSON', '/work/pr/pr.json');
  const told: unknown = JSON.parse(await readFile(file, 'utf8'));
  const text = (key: string): string => {
    const found = isRecord(told) ? told[key] : undefined;
    return typeof found === 'string' ? found : '';
  };
  const name = value('RB_NWO', text('nwo'));
  return {
    repository: value('RB_REPO', '/work/repo'),
    output: value('RB_OUT', '/work/out/findings.json'),
    name,
    number,
    base,
    head,
    agent: value('RB_AGENT', 'guildhall'),
    url: text('repo') === '' ? `https://github.com/${name}` : text('repo'),
    title: text('title'),
    body: text('body'),
    model: value('RB_CONFIG_MODEL', ''),
  };
}

/** A finding of the API. */
export interface ApiFinding {
  status: string;
  file: string;
  line: number | null;
  start_line: number | null;
  title: string;
  body: string;
  evidence: string;
}

/** Returns the content of the findings file: one entry for each open finding. */
export function findingsFile({ url, number, base, head, agent }: BenchTask, findings: readonly ApiFinding[]) {
  return {
    pr: { repo: url, pr_number: number, base, head },
    agent,
    findings: findings
      .filter(({ status }) => status === 'open')
      .map(({ file, line, start_line, title, body, evidence }) => ({
        file,
        start_line: start_line ?? line ?? 1,
        end_line: line ?? 1,
        message: [title, body, evidence].filter((part) => part !== '').join('\n\n'),
        producer: agent,
      })),
  };
}
