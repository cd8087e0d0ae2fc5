/** The position and reason of a JSON syntax error. Repeats nothing of the text, which may contain a secret. */
export interface JsonFault {
  /** In UTF-16 code units, from 0. */
  position: number;
  reason: string;
}

/** The tokens that may follow, in words. */
const expectations = {
  value: 'a value',
  item: 'a value or ]',
  firstKey: 'a key in quotation marks or }',
  key: 'a key in quotation marks',
  colon: 'a colon',
  end: 'the end',
  moreKeys: 'a comma or }',
  moreItems: 'a comma or ]',
};
type State = keyof typeof expectations;
type Token = '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'scalar';

const blank = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- JSON takes none of them in a string
const plain = /[^"\\\u0000-\u001f]*/y;
const unicode = /u[0-9a-fA-F]{4}/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Returns the syntax error of a text that `JSON.parse` rejected. */
export function faultOf(text: string): JsonFault {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  for (let at = 0; ;) {
    at = after(blank, text, at) ?? at;
    if (text[at] === undefined) return { position: at, reason: `unexpected end, expected ${expectations[state]}` };
    const token = tokenAt(text, at);
    const next: State | undefined = token === undefined ? undefined : step(state, token, open);
    if (token === undefined || next === undefined) return { position: at, reason: `expected ${expectations[state]}` };
    const end = token === 'string' ? endOfString(text, at) : token === 'scalar' ? after(scalar, text, at) : at + 1;
    if (typeof end !== 'number') return end ?? { position: at, reason: 'invalid token' };
    [at, state] = [end, next];
  }
}

function tokenAt(text: string, at: number): Token | undefined {
  const char = text[at];
  if (char === '"') return 'string';
  if (char === '{' || char === '}' || char === '[' || char === ']' || char === ':' || char === ',') return char;
  return after(scalar, text, at) === undefined ? undefined : 'scalar';
}

/** Returns the state after a token; undefined when the token is not allowed. */
function step(state: State, token: Token, open: ('{' | '[')[]): State | undefined {
  const takesValue = state === 'value' || state === 'item';
  if (takesValue && (token === '{' || token === '[')) {
    open.push(token);
    return token === '{' ? 'firstKey' : 'item';
  }
  const closes = token === '}' ? ['firstKey', 'moreKeys'] : token === ']' ? ['item', 'moreItems'] : [];
  if (closes.includes(state)) {
    open.pop();
    return moreIn(open);
  }
  if (takesValue && (token === 'string' || token === 'scalar')) return moreIn(open);
  if ((state === 'key' || state === 'firstKey') && token === 'string') return 'colon';
  if (state === 'colon' && token === ':') return 'value';
  if (token !== ',') return undefined;
  return state === 'moreKeys' ? 'key' : state === 'moreItems' ? 'value' : undefined;
}

function moreIn(open: readonly string[]): State {
  const inner = open.at(-1);
  return inner === undefined ? 'end' : inner === '{' ? 'moreKeys' : 'moreItems';
}

/** Returns the end of the string that begins at `start`. */
function endOfString(text: string, start: number): number | JsonFault {
  for (let at = start + 1; ;) {
    at = after(plain, text, at) ?? at;
    if (text[at] === '"') return at + 1;
    if (text[at] === undefined) return { position: start, reason: 'unterminated string' };
    if (text[at] !== '\\') return { position: at, reason: 'unescaped control character' };
    const escaped = '"\\/bfnrt'.includes(text[at + 1] ?? ' ') ? at + 2 : after(unicode, text, at + 1);
    if (escaped === undefined) return { position: at, reason: 'invalid escape' };
    at = escaped;
  }
}

/** Returns the end of a pattern's match at a position; undefined if it does not match. */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** `position 7 (line 1, column 8)`. */
export function placeIn(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  return `position ${position} (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}
