import { lineTarget } from '../../../wiki/markdown.ts';

/** A link to lines of a file, with its label; lines from 1. */
export interface Citation {
  path: string;
  first: number;
  last: number;
  label: string;
}

interface Kept {
  /** `''` if nothing is left. */
  text: string;
  /** Links that hold, and links that do not. */
  valid: number;
  invalid: number;
  /** Paragraphs and list items that were left out. */
  removed: number;
}

/** Link, escaped character, code, address, and what else could be markup. */
const marks =
  /(?<image>!?)\[(?<label>(?:`[^`\n]{0,200}`|\\.|[^[\]`\\\n]){0,200})\]\((?<target>[^()\s]{0,2000})\)|\\.|`[^`\n]{0,500}`|(?<address>\b(?:https?:\/\/|www\.)[^\s<>()[\]`]{1,500})|[<[\]]/g;
const lines = /^(?<path>[^#]{1,2000}?)(?:@(?:commit|[0-9a-f]{4,64}))?#L(?<first>\d{1,7})(?:-L?(?<last>\d{1,7}))?$/;

/** Returns the paths that a text cites. */
export function citedPaths(text: string): string[] {
  const targets = [...text.matchAll(marks)].map(({ groups }) => citationOf(groups?.['target'] ?? '', ''));
  return targets.flatMap((one) => (one === undefined ? [] : [one.path]));
}

/**
 * Keeps the paragraphs and list items with a link that holds, and headings above them. A link that does not hold, or that leads
 * elsewhere than to lines and to these pages, becomes its label. Markup other than Markdown is escaped.
 */
export function keepProven(text: string, isProven: (citation: Citation) => boolean, slugs: ReadonlySet<string>): Kept {
  const counts = { valid: 0, invalid: 0, removed: 0 };
  const kept: string[] = [];
  // From the end: a heading, or a line that ends with a colon, stays if what is below it does.
  let below = 0;
  let isLeadWanted = false;
  let isApart = false;
  for (const part of partsOf(text).toReversed()) {
    const level = /^#{1,6}(?=\s)/.exec(part.text)?.[0].length;
    const { shown, valid, invalid } = rewritten(part.text, isProven, slugs);
    counts.valid += valid;
    counts.invalid += invalid;
    const isLead = valid + invalid === 0 && part.text.length <= 200 && part.text.endsWith(':');
    const stays: boolean = level === undefined ? valid > 0 || (isLead && isLeadWanted) : level < below;
    isApart ||= part.isApart;
    isLeadWanted = stays && level === undefined;
    if (stays) {
      const own = level === undefined ? shown : shown.replace(/^#+/, '#'.repeat(Math.max(2, level)));
      kept.push(`${own}${isApart ? '\n\n' : '\n'}`);
      below = level ?? 7;
      isApart = false;
    } else if (level === undefined) counts.removed += 1;
  }
  return { ...counts, text: kept.toReversed().join('').trim() };
}

/** The headings, paragraphs and list items of a text; `isApart` from what follows. Code blocks are left out. */
function partsOf(text: string): { text: string; isApart: boolean }[] {
  const parts: { text: string; isApart: boolean }[] = [];
  let fence = '';
  let isNew = true;
  for (const line of text.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const mark = /^\s{0,99}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence !== '' || mark !== '') {
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
      isNew = true;
      continue;
    }
    const last = parts.at(-1);
    if (line.trim() === '') {
      if (last !== undefined) last.isApart = true;
      isNew = true;
    } else if (isNew || last === undefined || /^\s{0,99}(?:[-*+]|\d{1,9}[.)])\s|^#{1,6}\s/.test(line)) {
      parts.push({ text: line, isApart: false });
      isNew = /^#{1,6}\s/.test(line);
    } else last.text += `\n${line}`;
  }
  return parts;
}

function rewritten(text: string, isProven: (citation: Citation) => boolean, slugs: ReadonlySet<string>) {
  let valid = 0;
  let invalid = 0;
  const shown = text.replaceAll(marks, (whole: string, ...rest: unknown[]) => {
    const { image = '', label = '', target, address } = Object(rest.at(-1));
    if (address !== undefined) return `\`${whole}\``;
    if (target === undefined) return whole.length > 1 ? whole : `\\${whole}`;
    const words = String(label).replaceAll('<', String.raw`\<`);
    if (image === '' && slugs.has(target)) return `[${words}](${String(target)})`;
    const citation = citationOf(target, label);
    if (citation === undefined) return words;
    const isKept = image === '' && isProven(citation);
    if (isKept) valid += 1;
    else invalid += 1;
    return isKept ? `[${words}](${lineTarget({ path: citation.path, line: citation.first })})` : words;
  });
  return { shown, valid, invalid };
}

function citationOf(target: string, label: string): Citation | undefined {
  const { path = '', first, last } = lines.exec(target)?.groups ?? {};
  if (first === undefined) return undefined;
  const from = Number(first);
  return {
    path: decoded(path.replace(/^\.?\//, '')),
    first: from,
    last: last === undefined ? from : Number(last),
    label,
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Lines around the cited ones in which a name may be. */
const around = 2;

/** True if the file has the lines, and they, or its path, have one of the names that the label has in code marks. */
export function holds(file: readonly string[] | undefined, { path, first, last, label }: Citation): boolean {
  if (file === undefined || first < 1 || last < first || last > file.length) return false;
  const code = [...label.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text).join(' ');
  const names = code.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
  if (names.length === 0) return true;
  const text = [path, ...file.slice(Math.max(0, first - 1 - around), last + around)].join('\n');
  return names.some((name) => text.includes(name));
}
