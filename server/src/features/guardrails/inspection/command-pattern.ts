import { matchesAny } from '../../../lib/patterns.ts';
import type { Argument } from './command-words.ts';

/** A denied command: a program, and its first arguments or options. */
export interface CommandPattern {
  readonly text: string;
  readonly program: string;
  readonly options: readonly string[];
  readonly words: readonly string[];
}

export type Match = 'yes' | 'maybe' | 'no';

/** Parses a pattern such as `git push` or `rm -rf`. */
export function parsePattern(text: string): CommandPattern {
  const [program = '', ...rest] = text.trim().split(/\s+/);
  return { text, program, options: rest.filter(isOption), words: rest.filter((word) => !isOption(word)) };
}

export function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && word !== '--';
}

/** Matches the name of a program, without its directory unless the pattern has one. */
export function matchesProgram({ program }: CommandPattern, path: string): boolean {
  return matchesAny([program], program.includes('/') ? path : baseName(path));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Matches a program's arguments; `isOpen` if more may follow that are not known. */
export function matchesArguments(pattern: CommandPattern, given: readonly Argument[], isOpen: boolean): Match {
  const options = matchOptions(pattern.options, given, isOpen);
  if (options === 'no') return 'no';
  const words = matchWords(pattern.words, given, isOpen);
  if (words === 'no') return 'no';
  return options === 'yes' && words === 'yes' ? 'yes' : 'maybe';
}

/** Short options that are the same as long ones, for most programs. */
const longOf: Readonly<Record<string, string>> = { r: '--recursive', R: '--recursive', f: '--force' };

/** Options match anywhere, and short ones also in one word: `rm -fr`, `rm -r -f`. */
function matchOptions(wanted: readonly string[], given: readonly Argument[], isOpen: boolean): Match {
  if (wanted.length === 0) return 'yes';
  const texts = given.filter(({ isExact }) => isExact).map(({ prefix }) => prefix);
  const end = texts.indexOf('--');
  const known = (end < 0 ? texts : texts.slice(0, end)).filter(isOption);
  const letters = new Set(known.filter((text) => !text.startsWith('--')).flatMap((text) => Array.from(text.slice(1))));
  const long = known.filter((text) => text.startsWith('--')).map((text) => text.split('=', 1)[0] ?? text);
  const isThere = (option: string): boolean => {
    if (known.some((text) => matchesAny([option], text))) return true;
    if (option.startsWith('--'))
      return (
        long.some((text) => text.length > 3 && option.startsWith(text)) ||
        [...letters].some((letter) => longOf[letter] === option)
      );
    return Array.from(option.slice(1)).every(
      (letter) =>
        letters.has(letter) ||
        // GNU programs accept abbreviations of long options.
        long.some((text) => text.length > 3 && longOf[letter]?.startsWith(text)) ||
        [...letters].some((other) => longOf[other] !== undefined && longOf[other] === longOf[letter]),
    );
  };
  if (wanted.every(isThere)) return 'yes';
  const mayAppear = given.some(({ isExact, prefix }) => !isExact && (prefix === '' || prefix.startsWith('-')));
  return isOpen || mayAppear ? 'maybe' : 'no';
}

/**
 * Words match the first arguments that are no options. The word behind an option is read both as its value and as an
 * argument, because only the program knows.
 */
function matchWords(wanted: readonly string[], given: readonly Argument[], isOpen: boolean): Match {
  let best: Match = 'no';
  let states = new Set([0]);
  let skipped = new Set<number>();
  for (const { prefix, isExact, isMany } of given) {
    // Positions after the next word, which an option may take.
    const next = new Set(skipped);
    const skips = new Set<number>();
    for (const at of states) {
      const word = wanted[at];
      if (word === undefined) continue;
      if (isExact) {
        if (isOption(prefix)) {
          next.add(at);
          if (!prefix.includes('=')) skips.add(at);
        } else if (prefix === '--') next.add(at);
        else if (matchesAny([word], prefix)) next.add(at + 1);
        continue;
      }
      const isPossible = prefix === '' || matchesAny([`${prefix}*`], word) || word.includes('*');
      if (isPossible || prefix.startsWith('-')) best = 'maybe';
      if (isMany && prefix === '') return 'maybe';
    }
    states = next;
    skipped = skips;
    if (states.has(wanted.length)) return 'yes';
  }
  if (wanted.length === 0) return 'yes';
  return isOpen && states.size + skipped.size > 0 ? 'maybe' : best;
}
