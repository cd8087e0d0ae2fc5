import { matchesAny } from '../../lib/patterns.ts';
import { stepsOf } from '../../lib/json-pointer.ts';

export const operators = [
  'equals',
  'not_equals',
  'matches',
  'not_matches',
  'contains',
  'not_contains',
  'greater_than',
  'less_than',
  'exists',
  'absent',
] as const;
export type Operator = (typeof operators)[number];

/** A statement about a payload. */
export interface StoredCondition {
  /** A JSON pointer into the payload. */
  readonly path: string;
  readonly operator: Operator;
  readonly value: string | number | boolean | null;
}

/** Returns true if a payload meets all conditions. */
export function meets(conditions: readonly StoredCondition[], payload: unknown): boolean {
  return conditions.every((condition) => holds(condition, valueAt(payload, condition.path)));
}

function holds({ operator, value }: StoredCondition, found: unknown): boolean {
  switch (operator) {
    case 'equals':
      return found === value;
    case 'not_equals':
      return found !== value;
    case 'matches':
      return typeof found === 'string' && matchesAny([String(value)], found);
    case 'not_matches':
      return !(typeof found === 'string' && matchesAny([String(value)], found));
    case 'contains':
      return contains(found, value);
    case 'not_contains':
      return !contains(found, value);
    case 'greater_than':
      return typeof found === 'number' && typeof value === 'number' && found > value;
    case 'less_than':
      return typeof found === 'number' && typeof value === 'number' && found < value;
    case 'exists':
      return found !== undefined;
    case 'absent':
      return found === undefined;
  }
}

function contains(found: unknown, value: StoredCondition['value']): boolean {
  if (Array.isArray(found)) return found.includes(value);
  return typeof found === 'string' && typeof value === 'string' && found.includes(value);
}

/** Returns the value at a JSON pointer; undefined for none. Only members and elements count. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    if (Array.isArray(at) && step === 'length') return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
