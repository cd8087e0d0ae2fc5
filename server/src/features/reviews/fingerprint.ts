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
}

/** A finding of an earlier review. */
export interface KnownFinding {
  id: string;
  fingerprint: string;
  anchor: string;
  file: string;
  category: string;
}

/** Longest suggestion, in lines; a longer one is for the fix, not for a comment. */
const maxSuggestionLines = 4;

/**
 * Identifies findings by file, category and the three lines around them, so that they stay the same when lines move. Of
 * several with one fingerprint, the most severe remains.
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
  return [...placed.values()].toSorted((one, other) => rank(other) - rank(one));
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
    inDiff: line !== undefined && file?.added.has(line) === true,
  };
}

/**
 * Finds for each finding the known one that it is: by fingerprint, else by the text of its line in the same file and category.
 * A known finding is taken once.
 */
export function matchFindings(
  found: readonly PlacedFinding[],
  known: readonly KnownFinding[],
): Map<PlacedFinding, KnownFinding> {
  const matches = new Map<PlacedFinding, KnownFinding>();
  const free = new Set(known);
  const take = (finding: PlacedFinding, isSame: (candidate: KnownFinding) => boolean): void => {
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
  return matches;
}
