import { AppError, type ErrorCode } from './errors.ts';
import { stepsOf } from './json-pointer.ts';

/**
 * Returns the name of a field, given as a JSON pointer into an input: `/budget/max_turns` is `body.budget.max_turns`.
 */
export type FieldNames = (path: string) => string;

/** A problem of an input. */
export interface FieldIssue {
  /** A JSON pointer into the input; `''` is the whole input. */
  path: string;
  /**
   * Continues after the field's name: `must be a URL`, or `: it is taken`. A message that names other fields is a function
   * of their names.
   */
  message: string | ((name: FieldNames) => string);
  /** The part of the request, unless it is the query for its parameters and the body for anything else. */
  in?: 'body' | 'query' | 'path' | 'header';
  /** The equivalent keyword of JSON Schema, with its parameters. */
  keyword?: string;
  params?: Record<string, unknown>;
  /** The rejected input, if it was rejected before the request's body was parsed. */
  input?: unknown;
  /** Of a field that holds files: the file, and the line in it, counted from 1. */
  file?: string;
  line?: number;
}

/**
 * An invalid input. Its message names fields only by their paths; the receiver of the input, as a body, a query or tool
 * arguments, completes the names with {@link messageWith}.
 */
export class FieldError extends AppError {
  /** At least one. */
  readonly issues: readonly FieldIssue[];

  constructor(
    issues: readonly FieldIssue[],
    { code = 'invalid_request', details }: { code?: ErrorCode; details?: Record<string, unknown> } = {},
  ) {
    super(code, sentenceOf(issues, fieldNames('')), details);
    this.name = 'FieldError';
    this.issues = issues;
  }

  /** Returns the first issue in a sentence with these names. */
  messageWith(name: FieldNames): string {
    return sentenceOf(this.issues, name);
  }
}

/** Creates the error for a field: `must not be blank.`, or `: it is taken.` */
export function fieldError(
  path: string,
  message: FieldIssue['message'],
  options: { code?: ErrorCode; details?: Record<string, unknown> } = {},
): FieldError {
  return new FieldError([{ path, message }], options);
}

/** Returns the names of fields of an input that came as `place`; `''` for a place without a name. */
export function fieldNames(place: string): FieldNames {
  return (path) => [...(place === '' ? [] : [place]), ...stepsOf(path)].join('.') || 'The input';
}

/** Returns the message without the field's name: `must be a URL`, `it is taken`. Several sentences end with a full stop. */
export function messageOfField({ message }: FieldIssue, name: FieldNames): string {
  const text = typeof message === 'string' ? message : message(name);
  const bare = text.startsWith(': ') ? text.slice(2) : text;
  return bare.endsWith('.') && !/[.?!] /.test(bare) ? bare.slice(0, -1) : bare;
}

/** Returns a sentence: `body.name must be a string.` */
function sentenceOf([first]: readonly FieldIssue[], name: FieldNames): string {
  if (first === undefined) return 'The input is invalid.';
  const text = typeof first.message === 'string' ? first.message : first.message(name);
  return `${name(first.path)}${text.startsWith(':') ? '' : ' '}${text}${/[.?]$/.test(text) ? '' : '.'}`;
}
