import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { describeViolation } from './schema-words.ts';
import { pointerStep } from './json-pointer.ts';

/** A problem of a value: a JSON pointer into it and a phrase without a subject. */
export interface SchemaProblem {
  path: string;
  message: string;
  /** The broken keyword of the schema, with its parameters. */
  keyword?: string;
  params?: Record<string, unknown>;
}

/** Returns the problems of a value under its schema; `pattern` is the phrase for a string that does not match its pattern. */
export function schemaProblems(schema: TSchema, value: unknown, pattern?: string): SchemaProblem[] {
  return Value.Errors(schema, value).flatMap((error) => problemsOfError(error, pattern));
}

function problemsOfError(error: ReturnType<typeof Value.Errors>[number], pattern: string | undefined): SchemaProblem[] {
  const { instancePath: path, keyword, params, message } = error;
  const eachKey = (keys: string[]) =>
    keys.map((key) => ({
      path: `${path}${pointerStep(key)}`,
      message: describeViolation({ keyword, params }),
      keyword,
      params,
    }));
  // Duplicates the `additionalProperties` error of the same key.
  if (keyword === 'boolean') return [];
  if (keyword === 'additionalProperties') return eachKey(params.additionalProperties);
  if (keyword === 'required') return eachKey(params.requiredProperties);
  if (keyword === 'pattern' && pattern !== undefined) return [{ path, message: pattern, keyword, params }];
  return [{ path, message: describeViolation({ keyword, params, message }), keyword, params }];
}
