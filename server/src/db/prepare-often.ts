import type { ClientBase, Pool } from 'pg';

/** A statement is prepared from this use on, counted over all connections of a pool. */
const often = 8;
/** More texts than these are not counted; the least recently seen ones are forgotten. */
const mostTexts = 1_000;
/** Each connection keeps what it has prepared, about 30 KB each. */
const mostPrepared = 250;

/**
 * Makes the connections of a pool prepare the statements that run often, so that PostgreSQL parses and plans them once
 * for a connection.
 */
export function prepareOften(pool: Pool): void {
  const nameOf = countUses();
  pool.on('connect', (client) => prepareOn(client, nameOf));
}

type NameOf = (text: string, values: unknown) => string | undefined;

function prepareOn(client: ClientBase, nameOf: NameOf): void {
  const { query } = client;
  const send = (statement: unknown, values: unknown, ...rest: unknown[]): unknown => {
    const name = typeof statement === 'string' ? nameOf(statement, values) : undefined;
    return Reflect.apply(query, client, [name === undefined ? statement : { name, text: statement }, values, ...rest]);
  };
  Reflect.set(client, 'query', send);
}

/** Returns a function that counts statements and names those to prepare; undefined for one that is not, or not yet. */
function countUses(): NameOf {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  return (text, values) => {
    const name = names.get(text);
    if (name !== undefined) return name;
    if (names.size >= mostPrepared || !isPreparable(text, values)) return undefined;
    const count = (uses.get(text) ?? 0) + 1;
    uses.delete(text);
    if (count < often) {
      uses.set(text, count);
      const [oldest] = uses.keys();
      if (uses.size > mostTexts && oldest !== undefined) uses.delete(oldest);
      return undefined;
    }
    const given = `often_${names.size + 1}`;
    names.set(text, given);
    return given;
  };
}

/**
 * Excluded are results with all columns, because a prepared statement fails once a migration adds one; results limited by
 * a parameter, because PostgreSQL plans differently for few rows; and without parameters what may be several statements.
 */
function isPreparable(text: string, values: unknown): boolean {
  const outer = withoutParentheses(text);
  if (/(?:\b(?:select|returning)\s+|,\s*|\.)\*/i.test(outer) || /\blimit \$/i.test(outer)) return false;
  return (Array.isArray(values) && values.length > 0) || (/^\s*(?:with|select)\b/i.test(text) && !text.includes(';'));
}

/** Returns the outermost statement: common table expressions and subqueries do not shape its result. */
function withoutParentheses(text: string): string {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  return outer === text ? text : withoutParentheses(outer);
}
