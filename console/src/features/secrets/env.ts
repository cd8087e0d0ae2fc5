/** A variable of a `.env` file. */
export interface EnvRow {
  /** Its first line, counted from 1. */
  line: number;
  key: string;
  value: string;
  /** Why it cannot be a secret; '' if it can. */
  problem: string;
}

/** The longest text that is read, in characters. */
export const longestEnv = 256 * 1_024;
/** The most variables that are read; a scope cannot hold more secrets. */
export const mostRows = 100;
const mostValueBytes = 16_384;
const keyPattern = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

export interface Env {
  rows: EnvRow[];
  /** What was left out, and why; '' if nothing was. */
  cut: string;
}

/**
 * Reads the text of a `.env` file: `KEY=value`, `export KEY=value`, comments, and quoted values, which may span lines. It
 * reads each character once, and expands no variables.
 */
export function parseEnv(text: string): Env {
  if (text.length > longestEnv) return { rows: [], cut: 'This is longer than 256 KiB, and was not read.' };
  const source = text.replaceAll('\r\n', '\n').replace(/^\uFEFF/, '');
  const rows: EnvRow[] = [];
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const end = endOfLine(source, at);
    const entry = entryOf(source.slice(at, end));
    if (entry === undefined) {
      at = end + 1;
      line += 1;
      continue;
    }
    if (rows.length === mostRows) return { rows: withDuplicates(rows), cut: `Only the first ${mostRows} were read.` };
    const value = valueAt(source, at + entry.valueAt);
    const problem = entry.isPair ? value.problem || problemOf(entry.key, value.text) : 'Write it as NAME=value.';
    rows.push({ line, key: entry.key, value: value.text, problem });
    line += count(source, '\n', at, value.end) + 1;
    at = value.end + 1;
  }
  return { rows: withDuplicates(rows), cut: '' };
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}

function count(source: string, what: string, from: number, to: number): number {
  let found = 0;
  for (let at = source.indexOf(what, from); at !== -1 && at < to; at = source.indexOf(what, at + 1)) found += 1;
  return found;
}

/** Returns the name in a line, and where its value begins; undefined for an empty line and a comment. */
function entryOf(line: string): { key: string; valueAt: number; isPair: boolean } | undefined {
  const start = line.trimStart();
  if (start === '' || start.startsWith('#')) return undefined;
  const equals = line.indexOf('=');
  if (equals === -1) return { key: start.trim().slice(0, 100), valueAt: line.length, isPair: false };
  const key = line.slice(0, equals).trim();
  return { key: key.startsWith('export ') ? key.slice(7).trim() : key, valueAt: equals + 1, isPair: true };
}

interface Value {
  text: string;
  problem: string;
  /** The end of its last line. */
  end: number;
}

function valueAt(source: string, from: number): Value {
  let start = from;
  while (source[start] === ' ' || source[start] === '\t') start += 1;
  const quote = source[start] ?? '';
  if (quote === '"' || quote === "'" || quote === '`') return quotedAt(source, start, quote);
  const end = endOfLine(source, start);
  const line = source.slice(start, end);
  const comment = line.startsWith('#') ? 0 : Math.min(...[' #', '\t#'].map((mark) => indexOrEnd(line, mark)));
  return { text: line.slice(0, comment).trim(), problem: '', end };
}

function indexOrEnd(line: string, mark: string): number {
  const at = line.indexOf(mark);
  return at === -1 ? line.length : at;
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

function quotedAt(source: string, start: number, quote: string): Value {
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at] ?? '';
    if (char === quote) return { text, problem: '', end: endOfLine(source, at) };
    const escaped = quote === '"' && char === '\\' ? escapes[source[at + 1] ?? ''] : undefined;
    text += escaped ?? char;
    if (escaped !== undefined) at += 1;
  }
  // The quote was probably part of the value; the lines after it are variables of their own.
  const end = endOfLine(source, start);
  return { text: '', problem: `The quote ${quote} is not closed.`, end };
}

function problemOf(key: string, value: string): string {
  if (!keyPattern.test(key)) return 'The name must have letters, digits and _ only, and must not start with a digit.';
  if (value === '') return 'It has no value.';
  if (new TextEncoder().encode(value).length > mostValueBytes) return 'The value is longer than 16 KiB.';
  return '';
}

/** Of several variables with one name, the last one counts, as in a shell. */
function withDuplicates(rows: EnvRow[]): EnvRow[] {
  const last = new Map(rows.map(({ key, line }) => [key, line]));
  return rows.map((row) => {
    const later = last.get(row.key);
    return row.problem === '' && later !== row.line ? { ...row, problem: `Line ${later} sets it again.` } : row;
  });
}
