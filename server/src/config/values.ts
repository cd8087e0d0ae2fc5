import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { parseBytes } from '../lib/bytes.ts';

/** An invalid setting; the message names the variable, the value and the rule. */
export class ConfigError extends Error {}

/** Parses a value by its schema. Throws {@link ConfigError} with the problem. */
export function parse<T extends TSchema>(schema: T, value: unknown, problem: string): Static<T> {
  if (!Value.Check(schema, value)) throw new ConfigError(problem);
  return value;
}

export function integer(name: string, value: string, minimum: number, maximum: number): number {
  const problem = `${name} is ${JSON.stringify(value)}; it must be a whole number from ${minimum} to ${maximum}.`;
  return parse(Type.Integer({ minimum, maximum }), /^\d{1,10}$/.test(value) ? Number(value) : undefined, problem);
}

export function bytes(name: string, value: string): number {
  const found = parseBytes(value);
  if (found === undefined)
    throw new ConfigError(
      `${name} is ${JSON.stringify(value)}; it must be a number of bytes, with or without a unit of KiB, MiB, GiB or TiB, e.g. 100GiB.`,
    );
  return found;
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new ConfigError(`${name} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}.`);
  return found;
}

export function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
