import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** One thing that is wrong with a value: a JSON pointer into it and a sentence without a subject. */
export interface SchemaProblem {
  path: string;
  message: string;
}

/** What is wrong with a value, as its schema says; `pattern` is the sentence for a string that has not the right form. */
export function schemaProblems(schema: TSchema, value: unknown, pattern?: string): SchemaProblem[] {
  return Value.Errors(schema, value).flatMap((error) => problemsOfError(error, pattern));
}

function problemsOfError(error: ReturnType<typeof Value.Errors>[number], pattern: string | undefined): SchemaProblem[] {
  const { instancePath: path } = error;
  const eachKey = (keys: string[], message: string) =>
    keys.map((key) => ({ path: `${path}/${pointerPart(key)}`, message }));
  // Stands beside the `additionalProperties` error of the same key.
  if (error.keyword === 'boolean') return [];
  if (error.keyword === 'additionalProperties') return eachKey(error.params.additionalProperties, 'is not known here');
  if (error.keyword === 'required') return eachKey(error.params.requiredProperties, 'is required');
  if (error.keyword === 'enum') return [{ path, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
  if (error.keyword === 'pattern' && pattern !== undefined) return [{ path, message: pattern }];
  return [{ path, message: error.message }];
}

function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
