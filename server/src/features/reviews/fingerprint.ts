import { createHash } from 'node:crypto';
import type { FileLines } from './diff-lines.ts';
import type { ReportedFinding, Severity } from './output.ts';
import { severities } from './output.ts';

/** A finding with what identifies it. */
export interface PlacedFinding extends ReportedFinding {
  fingerprint: string;
  /** The text of its line without spaces around; `''` if the diff does not show it. */
  anchor: string;
  inDiff: boolean;
  /** True if the platform ran its command and saw the problem. */
  reproduced: boolean;
}

/** A finding of an earlier review. */
export interface KnownFinding {
  id: string;
  fingerprint: string;
  anchor: string;
  file: string;
  category: string;
  title: string;
  line: number | null;
}

/** Longest suggestion, in lines; a longer one is for the fix, not for a comment. */
const maxSuggestionLines = 4;

/** Findings within so many lines may be the same. */
const nearLines = 3;
/** The share of common words from which two titles say the same. */
const sameWords = 0.6;
const similarWords = 0.4;

/**
 * Identifies findings by file, category and the three lines around them, so that they stay the same when lines move. Of
 * several with one fingerprint, or that say the same about lines next to each other, the most severe remains.
 */
export function placeFindings(
  reported: readonly ReportedFinding[],
  lines: ReadonlyMap<string, FileLines>,
): PlacedFinding[] {
  const placed = new Map<string, PlacedFinding>();
  for (const finding of reported) {
    const found = place(finding, lines.get(finding.file));
    const other = placed.get(found.fingerprint);
    if (other === undefined || rank(found) > rank(other)) placed.set(found.fingerprint, found);
  }
  const kept: PlacedFinding[] = [];
  for (const finding of [...placed.values()].toSorted((one, other) => rank(other) - rank(one)))
    if (!kept.some((other) => isNear(finding, other, other.line ?? null) && repeats(finding, other)))
      kept.push(finding);
  return kept;
}

function isNear(
  finding: { file: string; line?: number | null },
  { file }: { file: string },
  line: number | null,
): boolean {
  return (
    file === finding.file &&
    line !== null &&
    typeof finding.line === 'number' &&
    Math.abs(finding.line - line) <= nearLines
  );
}

/** Compares what two findings say, by the words of their titles. */
function saysSame(one: { title: string }, other: { title: string }, share: number): boolean {
  const words = ({ title }: { title: string }): Set<string> =>
    new Set(title.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
  const [first, second] = [words(one), words(other)];
  const common = [...first].filter((word) => second.has(word)).length;
  return common > 0 && common / (first.size + second.size - common) >= share;
}

/** True if two findings of one review say the same, and not the same about two different names, places or numbers. */
function repeats(one: { title: string }, other: { title: string }): boolean {
  if (!saysSame(one, other, sameWords)) return false;
  const [first, second] = [specificsOf(one), specificsOf(other)];
  return [...first].every((name) => second.has(name)) || [...second].every((name) => first.has(name));
}

/** Returns the code, the names with a dot and the numbers of a title. */
function specificsOf({ title }: { title: string }): Set<string> {
  const found = title.match(/`[^`]{1,200}`|[\w$]{1,60}(?:\.[\w$]{1,60}){1,5}|\d{1,20}/g) ?? [];
  return new Set(found.map((name) => name.toLowerCase()));
}

/** Returns the line of a known finding in the reviewed commit: the nearest one with its text. */
function lineNow({ anchor, line }: KnownFinding, file: FileLines | undefined): number | null {
  if (anchor === '' || file === undefined) return line;
  const places = [...file.text].filter(([, text]) => text.trim() === anchor).map(([number]) => number);
  const distance = (number: number): number => Math.abs(number - (line ?? 0));
  return places.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

/** Returns the dismissed finding next to a new one that is about the same: a decision holds for its neighbors too. */
export function dismissedNeighbor<Known extends KnownFinding>(
  finding: PlacedFinding,
  dismissed: readonly Known[],
  lines: ReadonlyMap<string, FileLines>,
): Known | undefined {
  return dismissed.find(
    (known) =>
      isNear(finding, known, lineNow(known, lines.get(known.file))) &&
      (known.category === finding.category || saysSame(known, finding, similarWords)),
  );
}

/** Orders by severity, then by confidence. */
export function rank({ severity, confidence }: { severity: Severity; confidence: number }): number {
  return severities.indexOf(severity) * 2 + confidence;
}

function place(finding: ReportedFinding, file: FileLines | undefined): PlacedFinding {
  const { line, suggestion = '' } = finding;
  const at = (number: number): string => (file?.text.get(number) ?? '').trim();
  const window = line === undefined ? [] : [at(line - 1), at(line), at(line + 1)];
  const anchor = line === undefined ? '' : at(line);
  // Without its lines, its title tells it from others of the file.
  const near = anchor === '' ? [finding.title] : window;
  const parts = ['v1', file?.oldPath ?? finding.file, finding.category, ...near];
  return {
    ...finding,
    suggestion: suggestion.split('\n').length > maxSuggestionLines ? '' : suggestion,
    fingerprint: createHash('sha256').update(parts.join('\0')).digest('hex'),
    anchor,
    reproduced: false,
    inDiff: line !== undefined && file?.added.has(line) === true,
  };
}

/**
 * Finds for each finding the known one that it is: by fingerprint, else by the text of its line in the same file and category,
 * else by what it says about a line next to it. A known finding is taken once.
 */
export function matchFindings<Known extends KnownFinding>(
  found: readonly PlacedFinding[],
  known: readonly Known[],
  lines: ReadonlyMap<string, FileLines>,
): Map<PlacedFinding, Known> {
  const matches = new Map<PlacedFinding, Known>();
  const free = new Set(known);
  const take = (finding: PlacedFinding, isSame: (candidate: Known) => boolean): void => {
    if (matches.has(finding)) return;
    const match = [...free].find(isSame);
    if (match === undefined) return;
    free.delete(match);
    matches.set(finding, match);
  };
  for (const finding of found) take(finding, ({ fingerprint }) => fingerprint === finding.fingerprint);
  for (const finding of found)
    take(
      finding,
      ({ file, category, anchor }) =>
        anchor !== '' && anchor === finding.anchor && file === finding.file && category === finding.category,
    );
  for (const finding of found)
    take(
      finding,
      (candidate) =>
        isNear(finding, candidate, lineNow(candidate, lines.get(candidate.file))) &&
        saysSame(candidate, finding, sameWords),
    );
  return matches;
}
