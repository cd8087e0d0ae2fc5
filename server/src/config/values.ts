import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { parseBytes } from '../lib/bytes.ts';
import { problemOfUrl } from '../lib/model-endpoints.ts';

/** A failure of a start that the operator can mend; the message says how. */
export class ConfigError extends Error {}

/** A wrong option or variable; the message names it, its value and the rule. Programs exit with status 2 for it. */
export class UsageError extends ConfigError {}

/** Parses a value by its schema. Throws {@link UsageError} with the problem. */
export function parse<T extends TSchema>(schema: T, value: unknown, problem: string): Static<T> {
  if (!Value.Check(schema, value)) throw new UsageError(problem);
  return value;
}

export function integer(name: string, value: string, minimum: number, maximum: number): number {
  const problem = `${name} is ${JSON.stringify(value)}; it must be a whole number from ${minimum} to ${maximum}.`;
  return parse(Type.Integer({ minimum, maximum }), /^\d{1,10}$/.test(value) ? Number(value) : undefined, problem);
}

export function bytes(name: string, value: string): number {
  const found = parseBytes(value);
  if (found === undefined)
    throw new UsageError(
      `${name} is ${JSON.stringify(value)}; it must be a number of bytes, with or without a unit of KiB, MiB, GiB or TiB, e.g. 100GiB.`,
    );
  return found;
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`${name} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}.`);
  return found;
}

/** Returns the value, an http or https URL or `''`. */
export function baseUrl(name: string, value: string): string {
  const problem = problemOfUrl(value);
  // The message must not contain a password.
  const shown = value.includes('@') ? '' : ` is ${JSON.stringify(value)}; it`;
  if (problem !== '') throw new UsageError(`${name}${shown} ${problem}.`);
  return value;
}

export function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
