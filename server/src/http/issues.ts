import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { isErrorCode, type ErrorCode } from '../lib/errors.ts';
import { FieldError, fieldNames, messageOfField, type FieldIssue } from '../lib/field-error.ts';
import { pointerStep, stepsOf } from '../lib/json-pointer.ts';
import { closest, describeViolation } from '../lib/schema-words.ts';

type Place = 'body' | 'query' | 'path' | 'header';

/** The usual names of the parts of a request that Fastify names otherwise. */
const places: Record<string, Place> = { querystring: 'query', params: 'path', headers: 'header' };

/** Returns the place of a field: the query if the operation has such a parameter, else the body. */
export function placeOf({ routeOptions }: FastifyRequest, path: string): 'query' | 'body' {
  const query: unknown = valueAt(routeOptions.schema, ['querystring', 'properties']);
  const [step] = stepsOf(path);
  return step !== undefined && typeof query === 'object' && query !== null && Object.hasOwn(query, step)
    ? 'query'
    : 'body';
}

/** The maximum number of reported issues. */
const mostIssues = 50;

/** An issue with its place in the request, as a response lists it. */
export type Issue = FieldIssue & { in: Place; message: string };

/** Returns the issues of a request, the likeliest cause first. */
export function issuesOf({ issues }: FieldError, request: FastifyRequest): Issue[] {
  return issues.slice(0, mostIssues).map((issue) => {
    const place = issue.in ?? placeOf(request, issue.path);
    return { ...issue, in: place, message: messageOfField(issue, fieldNames(place)) };
  });
}

/** Returns the error of an invalid request; undefined for any other failure. */
export function inputErrorOf(error: unknown): FieldError | undefined {
  if (error instanceof FieldError) return error;
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation)) return undefined;
  const context = 'validationContext' in error ? String(error.validationContext) : 'body';
  const entries = error.validation.slice(0, mostIssues).filter(isAjvError);
  const issues = typosFirst(entries.map((entry) => issueOf(entry, places[context] ?? 'body')));
  const code = issues[0]?.code;
  return new FieldError(issues, code === undefined ? {} : { code });
}

function isAjvError(entry: unknown): entry is FastifySchemaValidationError {
  return typeof entry === 'object' && entry !== null && 'instancePath' in entry && 'keyword' in entry;
}

/** A violation of a schema; `meant` is the path of the known key that an unknown one resembles. */
type Violated = Issue & { code?: ErrorCode; meant?: string };

/** Sorts mistyped keys first, because they are why others are missing, and gives them the code of the missing key. */
function typosFirst(issues: Violated[]): Violated[] {
  const typos = issues.filter(({ meant }) => meant !== undefined);
  if (typos.length === 0) return issues;
  const others = issues.filter(({ meant }) => meant === undefined);
  return [
    ...typos.map(({ meant, ...typo }) => {
      const missing = others.find(({ keyword, path }) => keyword === 'required' && path === meant);
      return missing?.code === undefined ? typo : { ...typo, code: missing.code };
    }),
    ...others,
  ];
}

function issueOf(entry: FastifySchemaValidationError, where: Place): Violated {
  const { keyword, params, instancePath } = entry;
  const { missingProperty, additionalProperty } = params;
  const key = typeof missingProperty === 'string' ? missingProperty : additionalProperty;
  const schema: unknown = 'parentSchema' in entry ? entry.parentSchema : undefined;
  const path = typeof key === 'string' ? `${instancePath}${pointerStep(key)}` : instancePath;
  const words = describeViolation({ keyword, params, schema, message: entry.message });
  const meant = typeof additionalProperty === 'string' ? closest(additionalProperty, keysOf(schema)) : undefined;
  if (meant === undefined) return { in: where, path, keyword, params, message: words, ...codeOf(entry, schema) };
  const message = `${words}; did you mean ${meant}?`;
  return { in: where, path, keyword, params, message, meant: `${instancePath}${pointerStep(meant)}` };
}

function keysOf(schema: unknown): string[] {
  return Object.keys(Object(valueAt(schema, ['properties'])));
}

/** Returns a field's own code for a missing or empty value, the `x-error-code` of its schema. */
function codeOf({ keyword, params }: FastifySchemaValidationError, schema: unknown): { code?: ErrorCode } {
  const { missingProperty } = params;
  if (keyword !== 'minLength' && typeof missingProperty !== 'string') return {};
  const field = typeof missingProperty === 'string' ? valueAt(schema, ['properties', missingProperty]) : schema;
  const code = valueAt(field, ['x-error-code']);
  return typeof code === 'string' && isErrorCode(code) ? { code } : {};
}

/** Returns the value at a path; null for none. */
export function valueAt(source: unknown, steps: string[]): unknown {
  let value = source ?? null;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return null;
    value = (Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined) ?? null;
  }
  return value;
}
