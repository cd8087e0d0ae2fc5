/** The words of a prompt, grouped by how much they reveal about its subject. */
export interface PromptWords {
  /** Words of the prose in lower case, and pairs of characters for scripts without spaces. */
  words: string[];
  /** Plain words in code marks or followed by a call: `order`, has(). */
  code: string[];
  /** Names that occur only in code: `retryBudget`, `max_redirects`, `rate-limit`, `src/http/route.ts`, `assert.fail`. */
  names: string[];
}

/** Only the start and the end of a prompt are read: the middle of a long one is usually pasted text. */
const head = 16_000;
const tail = 4_000;
const mostWords = 1_000;
const mostCode = 100;
const longest = 200;

/** Links are skipped: their target is rarely the subject, and their rare parts would outweigh all other words. */
const url = /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s<>()[\]{}"'`]+/gi;
const codeSpan = /`([^`\n]{1,200})`/g;
/** Letters and digits, with the characters that join them in code. */
const run = /[\p{L}\p{N}_$]+(?:(?:\.|\/|::|#|->|-)[\p{L}\p{N}_$]+)*/gu;
const isName = /[\p{L}\p{N}](?:[_$-]+|\.|\/|::|#|->)[\p{L}\p{N}]|\p{Ll}\p{Lu}|^[_$]+\p{L}/u;
const unspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}/g;

export function wordsOfPrompt(prompt: string): PromptWords {
  const all = prompt.length > head + tail ? `${prompt.slice(0, head)} ${prompt.slice(-tail)}` : prompt;
  const text = all.toWellFormed().replace(url, ' ');
  const matches = [...text.matchAll(run)].filter(([found]) => found.length <= longest);
  const runs = matches.map(([found]) => found);
  const called = matches.filter(({ 0: found, index }) => text[index + found.length] === '(').map(([found]) => found);
  const marked = [...text.matchAll(codeSpan)].flatMap(([, inside = '']) => inside.match(run) ?? []);
  const plain = runs
    .filter((found) => !isName.test(found))
    .map((found) => found.replaceAll(/[_$]/g, '').toLowerCase())
    .filter((found) => found !== '');
  return {
    words: first(mostWords, [
      ...plain,
      ...plain.flatMap((word) => [...word.matchAll(unspaced)].flatMap(([found]) => pairs(found))),
    ]),
    code: first(
      mostCode,
      [...marked, ...called].filter((found) => found.length <= longest && !isName.test(found)),
    ),
    names: first(
      mostCode,
      runs.filter((found) => isName.test(found)),
    ),
  };
}

function first(most: number, words: readonly string[]): string[] {
  return [...new Set(words)].slice(0, most);
}

function pairs(characters: string): string[] {
  return Array.from({ length: characters.length - 1 }, (_, at) => characters.slice(at, at + 2));
}
