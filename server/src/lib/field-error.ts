import { AppError, type ErrorCode } from './errors.ts';

/** Names a field of an input, given as a JSON pointer into it: `/budget/max_turns` is `body.budget.max_turns`. */
export type FieldNames = (path: string) => string;

/** One thing that is wrong with an input. */
export interface FieldProblem {
  /** A JSON pointer into the input; `''` is all of it. */
  path: string;
  /** Goes on behind the field's name, without a full stop: `must be a URL`. */
  message: string;
  /** The keyword of JSON Schema that says the same, and its parameters. */
  keyword?: string;
  params?: Record<string, unknown>;
}

/**
 * An input that cannot be taken as it is. Its message names fields by their paths alone; whoever took the input, as a body,
 * a query or the arguments of a tool, says so by {@link messageWith}.
 */
export class FieldError extends AppError {
  /** The JSON pointer of the field that is to be mended. */
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

/** An input with one or more problems, which the answer lists by their paths. */
export class InvalidFields extends FieldError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    const [{ path, message } = { path: '', message: 'is invalid' }] = problems;
    super('invalid_request', path, (name) => fieldSentence(name(path), message));
    this.problems = problems;
  }
}

/**
 * The refusal of a field. `text` goes on behind its name and ends the sentence: `must not be blank.`, or `: it is taken.`
 * A sentence that names several fields is a function of their names.
 */
export function fieldError(
  path: string,
  text: string | ((name: FieldNames) => string),
  { code = 'invalid_request', details }: { code?: ErrorCode; details?: Record<string, unknown> } = {},
): FieldError {
  const joined = (name: string, rest: string): string => `${name}${rest.startsWith(':') ? '' : ' '}${rest}`;
  return new FieldError(code, path, typeof text === 'string' ? (name) => joined(name(path), text) : text, details);
}

/** The refusal of what no schema says of a field; {@link FieldProblem}. */
export function invalidField(path: string, message: string): InvalidFields {
  return new InvalidFields([{ path, message }]);
}

/** The names of fields of an input that came as `place`; `''` for a place that has no name. */
export function fieldNames(place: string): FieldNames {
  return (path) => [...(place === '' ? [] : [place]), ...stepsOf(path)].join('.') || 'The input';
}

/** `body.name must be a string.` */
export function fieldSentence(name: string, message: string): string {
  const text = `${name} ${message}`;
  return text.endsWith('?') ? text : `${text}.`;
}

/** The steps of a JSON pointer. */
export function stepsOf(path: string): string[] {
  const [, ...steps] = path.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
