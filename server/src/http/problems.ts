import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { fieldNames, fieldSentence, InvalidFields, stepsOf } from '../lib/field-error.ts';
import { closest, wordsOf } from '../lib/schema-words.ts';

/** A problem of a request; `path` is a JSON pointer into `where`. */
export interface Problem {
  where: string;
  path: string;
  keyword: string;
  params: Record<string, unknown>;
  message: string;
  /** The rejected input, if it was rejected before the request's body was parsed. */
  input?: unknown;
  /** The error code if it is not `invalid_request`. */
  code?: string;
}

/** A request that is rejected before its handler: thrown by the body parser and the character check. */
export class InvalidRequest extends Error {
  readonly problems: Problem[];
  readonly code: 'invalid_request' | 'invalid_json';

  constructor(problems: Problem[], code: 'invalid_request' | 'invalid_json' = 'invalid_request') {
    super(sentenceOf(problems));
    this.problems = problems;
    this.code = code;
  }
}

/** Returns a sentence about the first problem, with its place. */
export function sentenceOf([first]: readonly Problem[]): string {
  if (first === undefined) return 'The request is invalid.';
  return fieldSentence(fieldNames(first.where)(first.path), first.message);
}

/** The usual names of the parts of a request that Fastify names otherwise. */
const places: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

/** Returns the place of a field: the query if the operation has such a parameter, else the body. */
export function placeOf({ routeOptions }: FastifyRequest, path: string): 'query' | 'body' {
  const query: unknown = valueAt(routeOptions.schema, ['querystring', 'properties']);
  const [step] = stepsOf(path);
  return step !== undefined && typeof query === 'object' && query !== null && Object.hasOwn(query, step)
    ? 'query'
    : 'body';
}

/** The maximum number of reported problems. */
const mostProblems = 50;

/** Returns the problems of a request, the likeliest cause first; undefined for any other failure. */
export function problemsOf(error: unknown, request: FastifyRequest): Problem[] | undefined {
  if (error instanceof InvalidFields)
    return error.problems.map((problem) => ({
      keyword: 'value',
      params: {},
      ...problem,
      where: placeOf(request, problem.path),
      code: error.code,
    }));
  if (error instanceof InvalidRequest) return error.problems.map((problem) => ({ ...problem, code: error.code }));
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation)) return undefined;
  const context = 'validationContext' in error ? String(error.validationContext) : 'body';
  const entries = error.validation.slice(0, mostProblems).filter(isAjvError);
  return typosFirst(entries.map((entry) => problemOf(entry, places[context] ?? context)));
}

function isAjvError(entry: unknown): entry is FastifySchemaValidationError {
  return typeof entry === 'object' && entry !== null && 'instancePath' in entry && 'keyword' in entry;
}

/** Sorts mistyped keys first, because they are why others are missing, and gives them the code of the missing key. */
function typosFirst(problems: (Problem & { meant?: string })[]): Problem[] {
  const typos = problems.filter(({ meant }) => meant !== undefined);
  if (typos.length === 0) return problems;
  const others = problems.filter(({ meant }) => meant === undefined);
  return [
    ...typos.map(({ meant, ...typo }) => {
      const missing = others.find(({ keyword, path }) => keyword === 'required' && path === meant);
      return missing?.code === undefined ? typo : { ...typo, code: missing.code };
    }),
    ...others,
  ];
}

function problemOf(entry: FastifySchemaValidationError, where: string): Problem & { meant?: string } {
  const { keyword, params, instancePath } = entry;
  const { missingProperty, additionalProperty } = params;
  const key = typeof missingProperty === 'string' ? missingProperty : additionalProperty;
  const schema: unknown = 'parentSchema' in entry ? entry.parentSchema : undefined;
  const path = typeof key === 'string' ? `${instancePath}${stepTo(key)}` : instancePath;
  const words = wordsOf({ keyword, params, schema, message: entry.message });
  const meant = typeof additionalProperty === 'string' ? closest(additionalProperty, keysOf(schema)) : undefined;
  if (meant === undefined) return { where, path, keyword, params, message: words, ...codeOf(entry, schema) };
  const message = `${words}; did you mean ${meant}?`;
  return { where, path, keyword, params, message, meant: `${instancePath}${stepTo(meant)}` };
}

function stepTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function keysOf(schema: unknown): string[] {
  return Object.keys(Object(valueAt(schema, ['properties'])));
}

/** Returns a field's own code for a missing or empty value, the `x-error-code` of its schema. */
function codeOf({ keyword, params }: FastifySchemaValidationError, schema: unknown): { code?: string } {
  const { missingProperty } = params;
  if (keyword !== 'minLength' && typeof missingProperty !== 'string') return {};
  const field = typeof missingProperty === 'string' ? valueAt(schema, ['properties', missingProperty]) : schema;
  const code = valueAt(field, ['x-error-code']);
  return typeof code === 'string' ? { code } : {};
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
