import { AppError, type ErrorCode } from './errors.ts';

/**
 * Returns the name of a field, given as a JSON pointer into an input: `/budget/max_turns` is `body.budget.max_turns`.
 */
export type FieldNames = (path: string) => string;

/** A problem of an input. */
export interface FieldProblem {
  /** A JSON pointer into the input; `''` is the whole input. */
  path: string;
  /** Continues after the field's name, without a full stop: `must be a URL`. */
  message: string;
  /** The equivalent keyword of JSON Schema, with its parameters. */
  keyword?: string;
  params?: Record<string, unknown>;
}

/**
 * An invalid input. Its message names fields only by their paths; the receiver of the input, as a body, a query or tool
 * arguments, completes the names with {@link messageWith}.
 */
export class FieldError extends AppError {
  /** The JSON pointer of the invalid field. */
  readonly path: string;
  readonly messageWith: (name: FieldNames) => string;

  constructor(
    code: ErrorCode,
    path: string,
    sentence: (name: FieldNames) => string,
    details?: Record<string, unknown>,
  ) {
    super(code, sentence(fieldNames('')), details);
    this.name = 'FieldError';
    this.path = path;
    this.messageWith = sentence;
  }
}

/** An input with one or more problems; the response lists them by their paths. */
export class InvalidFields extends FieldError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    const [{ path, message } = { path: '', message: 'is invalid' }] = problems;
    super('invalid_request', path, (name) => fieldSentence(name(path), message));
    this.problems = problems;
  }
}

/**
 * Creates the error for a field. `text` continues after its name and ends the sentence: `must not be blank.`, or `: it
 * is taken.` A sentence with several fields is a function of their names.
 */
export function fieldError(
  path: string,
  text: string | ((name: FieldNames) => string),
  { code = 'invalid_request', details }: { code?: ErrorCode; details?: Record<string, unknown> } = {},
): FieldError {
  const joined = (name: string, rest: string): string => `${name}${rest.startsWith(':') ? '' : ' '}${rest}`;
  return new FieldError(code, path, typeof text === 'string' ? (name) => joined(name(path), text) : text, details);
}

/** Creates the error for a rule that no schema can express; {@link FieldProblem}. */
export function invalidField(path: string, message: string): InvalidFields {
  return new InvalidFields([{ path, message }]);
}

/** Returns the names of fields of an input that came as `place`; `''` for a place without a name. */
export function fieldNames(place: string): FieldNames {
  return (path) => [...(place === '' ? [] : [place]), ...stepsOf(path)].join('.') || 'The input';
}

/** Returns a sentence: `body.name must be a string.` */
export function fieldSentence(name: string, message: string): string {
  const text = `${name} ${message}`;
  return text.endsWith('?') ? text : `${text}.`;
}

/** Returns the segments of a JSON pointer. */
export function stepsOf(path: string): string[] {
  const [, ...steps] = path.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
