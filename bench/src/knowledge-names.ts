/** Code that is not the name of any API. */
const nobodys = new Set(
  `null true false undefined string number boolean object array function promise error node npm yarn pnpm import export default
   require module const return async await void never any unknown class type interface new this master main test tests docs src
   readme index package json html http https get set
   typescript javascript github gitlab openai graphql nodejs websocket websockets postgresql mysql mongodb sqlite formdata jsdoc`.split(
    /\s+/,
  ),
);
const shape = /^(?:new\s+)?[.#]?((?:[A-Za-z_$@][\w$-]*)(?:(?:\.|::|#|\/)[A-Za-z_$][\w$-]*)*)(?:\(.*\))?$/;
/** Names in prose: words that cannot be English. */
const inProse = /(?<![\w`./@-])(?:[A-Za-z_$][\w$]*(?:\.|::))*[A-Za-z_$]*(?:[a-z][A-Z]|[a-z]_[a-z])[\w$]*(?![\w`/@-])/g;

/** Returns the names that a heading documents: its code, or all of it if it is a signature. */
export function namesOf(heading: string): string[] {
  const code = codeIn(heading);
  if (code.length > 0) return code;
  const text = heading
    .replace(/<[^>]*>/g, '')
    .replace(/!?\[([^\]]*)\](\([^)]*\))?/g, '$1')
    .replace(/\\(?=[_*])|[*]/g, '')
    .trim();
  return /\(.*\)$|[a-z][A-Z]|[a-z]_[a-z]|\w\.\w|::/.test(text) ? namesIn([text]) : [];
}

/** Returns the names that a line of prose mentions: its code, and words that can only be names. */
export function identifiersOf(line: string): string[] {
  const prose = line.replace(/`[^`]*`/g, ' ').replace(/\bhttps?:\S+/g, ' ');
  return [...codeIn(line), ...namesIn([...prose.matchAll(inProse)].map(([word]) => word))];
}

/** Returns the last part of a name: `options.maxRedirects` and `maxRedirects` mean the same. */
export function lastName(name: string): string {
  return name.split(/\.|::|#|\//).at(-1) ?? name;
}

function codeIn(text: string): string[] {
  return namesIn([...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.trim()));
}

function namesIn(words: readonly string[]): string[] {
  return words
    .map((word) => shape.exec(word)?.[1] ?? '')
    .filter((name) => lastName(name).length >= 3 && !nobodys.has(lastName(name).toLowerCase()));
}
