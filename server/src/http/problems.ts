import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { fieldNames, fieldSentence, InvalidFields, stepsOf } from '../lib/field-error.ts';
import { closest, wordsOf } from '../lib/schema-words.ts';

/** One thing that is wrong with a request; `path` is a JSON pointer into `where`. */
export interface Problem {
  where: string;
  path: string;
  keyword: string;
  params: Record<string, unknown>;
  message: string;
  /** What was sent there, where the request's body does not say: it was refused before it became one. */
  input?: unknown;
  /** The error's code where it is not `invalid_request`. */
  code?: string;
}

/** A request that was refused before its handler: thrown by the body parser and the character check. */
export class InvalidRequest extends Error {
  readonly problems: Problem[];
  readonly code: 'invalid_request' | 'invalid_json';

  constructor(problems: Problem[], code: 'invalid_request' | 'invalid_json' = 'invalid_request') {
    super(sentenceOf(problems));
    this.problems = problems;
    this.code = code;
  }
}

/** The first problem, with its place. */
export function sentenceOf([first]: readonly Problem[]): string {
  if (first === undefined) return 'The request is invalid.';
  return fieldSentence(fieldNames(first.where)(first.path), first.message);
}

/** What people call the parts of a request that Fastify names otherwise. */
const places: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

/** Where a field of a request stands: in the query if the operation has it there, else in the body. */
export function placeOf({ routeOptions }: FastifyRequest, path: string): 'query' | 'body' {
  const query: unknown = valueAt(routeOptions.schema, ['querystring', 'properties']);
  const [step] = stepsOf(path);
  return step !== undefined && typeof query === 'object' && query !== null && Object.hasOwn(query, step)
    ? 'query'
    : 'body';
}

/** So many problems are told of: who sends more has to begin somewhere. */
const mostProblems = 50;

/** What is wrong with a request, the likeliest cause first; undefined for any other failure. */
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

/** A key that was mistyped is why another one is missing, and comes before that with the same code. */
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

/** A field may have a code of its own for being missing or empty: `x-error-code` in its schema. */
function codeOf({ keyword, params }: FastifySchemaValidationError, schema: unknown): { code?: string } {
  const { missingProperty } = params;
  if (keyword !== 'minLength' && typeof missingProperty !== 'string') return {};
  const field = typeof missingProperty === 'string' ? valueAt(schema, ['properties', missingProperty]) : schema;
  const code = valueAt(field, ['x-error-code']);
  return typeof code === 'string' ? { code } : {};
}

/** What stands in a value at these steps; null where nothing does. */
export function valueAt(source: unknown, steps: string[]): unknown {
  let value = source ?? null;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return null;
    value = (Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined) ?? null;
  }
  return value;
}
