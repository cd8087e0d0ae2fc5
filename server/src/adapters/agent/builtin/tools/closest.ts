import { truncate } from '../bounds.ts';

const contextLines = 2;
const maxComparedLines = 20_000;
const maxComparedCharacters = 1_048_576;

/** Returns a sentence for the model about the part of a text that is most similar to `wanted`. */
export function findClosest(text: string, wanted: string): string {
  const lines = text.slice(0, maxComparedCharacters).split('\n', maxComparedLines);
  const looked = wanted.split('\n');
  while (looked.length > 1 && looked[0]?.trim() === '') looked.shift();
  const place = bestPlace(lines, looked);
  if (place === undefined) return 'The file contains nothing similar: read it again.';
  const { at, same } = place;
  const from = Math.max(0, at - contextLines);
  const to = Math.min(lines.length, at + looked.length + contextLines);
  const shown = lines.slice(from, to).slice(0, 40);
  const rows = shown.map((line, index) => `${from + index + 1}\t${truncate(line, 500)}`);
  const reason = same
    ? 'This place differs only in white space:'
    : 'This is the most similar place (compare every character):';
  return `${reason}\n${rows.join('\n')}`;
}

/** Finds the place with the most similar lines. */
function bestPlace(lines: string[], wanted: string[]): { at: number; same: boolean } | undefined {
  const trimmed = lines.map((line) => line.trim());
  const sought = wanted.map((line) => line.trim());
  const words = new Set(splitWords(sought[0] ?? ''));
  let best: { at: number; score: number } | undefined;
  for (let at = 0; at < trimmed.length; at += 1) {
    let score = 0;
    for (let index = 0; index < Math.min(sought.length, 50); index += 1) {
      if (sought[index] !== '' && trimmed[at + index] === sought[index]) score += 1;
    }
    if (score === 0) score = similarity(words, splitWords(trimmed[at] ?? '')) * 0.9;
    if (score > (best?.score ?? 0.3)) best = { at, score };
  }
  if (best === undefined) return undefined;
  const { at } = best;
  return { at, same: sought.every((line, index) => trimmed[at + index] === line) };
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Similarity from 0 to 1. */
function similarity(wanted: Set<string>, words: string[]): number {
  if (wanted.size === 0 || words.length === 0) return 0;
  const shared = words.filter((word) => wanted.has(word)).length;
  return (2 * shared) / (wanted.size + words.length);
}
