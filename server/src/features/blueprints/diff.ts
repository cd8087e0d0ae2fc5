import { isDeepStrictEqual } from 'node:util';
import { pointerStep } from '../../lib/json-pointer.ts';

/** A difference, like an operation of a JSON Patch (RFC 6902), with the previous value. */
export interface Change {
  op: 'add' | 'remove' | 'replace';
  /** A JSON pointer. */
  path: string;
  /** null for none. */
  from: unknown;
  /** null for none. */
  value: unknown;
}

/** Returns the changes that turn one JSON value into another, in the order of their keys. */
export function differences(from: unknown, to: unknown, path = ''): Change[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ op: 'replace', path, from, value: to }];
  const [before, after] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const changes = keys.flatMap((key): Change[] => {
    const below = `${path}${pointerStep(key)}`;
    if (!after.has(key)) return [{ op: 'remove', path: below, from: before.get(key), value: null }];
    if (!before.has(key)) return [{ op: 'add', path: below, from: null, value: after.get(key) }];
    return differences(before.get(key), after.get(key), below);
  });
  // From the end of the array, so that a removal does not shift the positions of other changes.
  return Array.isArray(from) && from.length > after.size
    ? [...changes.filter(({ op }) => op !== 'remove'), ...changes.filter(({ op }) => op === 'remove').toReversed()]
    : changes;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
