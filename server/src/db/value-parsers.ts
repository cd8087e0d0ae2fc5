import { TypeOverrides, types } from 'pg';

const int8Array = 1016;
const dateArray = 1182;

/**
 * Parses the server's values: `int8` to a number, `timestamptz` to a Date; `date`, `interval` and `numeric` stay strings. Set
 * per connection, so that other users of `pg` are not affected.
 */
export const valueParsers: TypeOverrides = createParsers();

function createParsers(): TypeOverrides {
  const parsers = new TypeOverrides();
  parsers.setTypeParser(types.builtins.INT8, parseInteger);
  parsers.setTypeParser(int8Array, (text) => integersOf(parseArray(text)));
  parsers.setTypeParser(types.builtins.DATE, asSent);
  parsers.setTypeParser(dateArray, parseArray);
  parsers.setTypeParser(types.builtins.INTERVAL, asSent);
  return parsers;
}

function asSent(text: string): string {
  return text;
}

/** @throws RangeError for a value that a double does not hold exactly: a silently changed id is worse than an error. */
function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`The bigint ${text} does not fit into a number; select it as text.`);
  }
  return value;
}

/** An array whose elements need no escaping: null, text, or with several dimensions arrays. */
function parseArray(text: string): unknown {
  const json = text
    .replace(/^\[[^=]*=/, '')
    .replaceAll(/[^{},]+/g, (element) => (element === 'NULL' ? 'null' : JSON.stringify(element.replaceAll('"', ''))))
    .replaceAll('{', '[')
    .replaceAll('}', ']');
  return JSON.parse(json);
}

function integersOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(integersOf);
  }
  return typeof value === 'string' ? parseInteger(value) : value;
}
