/** The file with the built-in agent's summaries for a repository, newest first. */
export const summaryPath = 'summary.md';

const heading = '# What earlier sessions did here';
const maxEntries = 30;
const maxLength = 32_768;
const maxSummaryLength = 2_000;
const marker = /^<!-- (ses_\w+ \d+) -->$/m;

export interface SessionSummary {
  sessionId: string;
  turn: number;
  title: string;
  summary: string;
  at: Date;
}

/** Adds a session's summary, in place of an earlier one of the same turn. Returns the whole file. */
export function withSummary(before: string, { sessionId, turn, title, summary, at }: SessionSummary): string {
  const key = `${sessionId} ${turn}`;
  const name = cut(oneLine(title), 100);
  const entry = `## ${at.toISOString().slice(0, 10)}, ${sessionId}${name === '' ? '' : `: ${name}`}\n\n${cut(plain(summary), maxSummaryLength)}`;
  const all = [{ key, entry }, ...entriesOf(before).filter((other) => other.key !== key)].slice(0, maxEntries);
  let length = 0;
  const kept = all.filter((one) => (length += one.entry.length) <= maxLength);
  return `${[heading, ...kept.map((one) => `<!-- ${one.key} -->\n${one.entry}`)].join('\n\n')}\n`;
}

function entriesOf(text: string): { key: string; entry: string }[] {
  const [, ...parts] = text.split(marker);
  return Array.from({ length: parts.length / 2 }, (_, n) => ({
    key: parts[2 * n] ?? '',
    entry: (parts[2 * n + 1] ?? '').trim(),
  }));
}

/** Escapes text of an agent that looks like the end of an entry. */
function plain(text: string): string {
  return text.trim().replaceAll('<!--', '&lt;!--');
}

function oneLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, ' ');
}

function cut(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`;
}
