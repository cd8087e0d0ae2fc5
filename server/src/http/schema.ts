import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';

/** Schemas that become components of the OpenAPI document, by name. */
export const components = new Map<string, TSchema>();

/** Names a shape in the OpenAPI document, and returns a reference to it. */
export function named<T extends TSchema>(name: string, schema: T): TUnsafe<Static<T>> {
  if (components.has(name)) throw new Error(`Two schemas are named ${name}.`);
  components.set(name, { ...schema, $id: name });
  return Type.Unsafe<Static<T>>({ $ref: `${name}#` });
}

/** Components that are records, by name: a JSON pointer to the revision, or `''` for one without. */
export const records = new Map<string, string>();

/**
 * Like {@link named}, for a record: a resource that clients read and change as a whole. Its `ETag` is the revision at
 * `revision`, or else a hash of its content.
 */
export function record<T extends TSchema>(name: string, schema: T, revision = ''): TUnsafe<Static<T>> {
  records.set(name, revision);
  return named(name, schema);
}

/** Descriptions of the fields of components, by component and field, for the OpenAPI document. */
export const explanations = new Map<string, Readonly<Record<string, string>>>();

/** Describes the fields of components, separately from their shape; nested fields by their path: `repositories.ref`. */
export function explain(names: string | readonly string[], meanings: Readonly<Record<string, string>>): void {
  for (const name of [names].flat()) explanations.set(name, { ...explanations.get(name), ...meanings });
}

/** Values of omitted fields of request bodies, by component and field. */
export const defaultValues = new Map<string, Readonly<Record<string, unknown>>>();

/**
 * Shows the values of omitted fields in the OpenAPI document; the services apply them. Validation adds nothing to a body, so
 * that the audit log has what was sent.
 */
export function defaults(names: string | readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (const name of [names].flat()) defaultValues.set(name, { ...defaultValues.get(name), ...values });
}

/**
 * Like {@link named}, for a shape that is created again for the routes of every process: the first one defines the
 * component.
 */
export function componentOf<T extends TSchema>(name: string, schema: T): TUnsafe<Static<T>> {
  if (!components.has(name)) components.set(name, { ...schema, $id: name });
  return Type.Unsafe<Static<T>>({ $ref: `${name}#` });
}

/**
 * A string of at most `maxLength` characters; `x-error-code` is the error code if it is missing or empty, and `x-form`
 * describes a `pattern` in words that follow "must be".
 */
export function Text(
  maxLength: number,
  options: {
    minLength?: number;
    pattern?: string;
    description?: string;
    'x-error-code'?: ErrorCode;
    'x-form'?: string;
  } = {},
) {
  return Type.String({ maxLength, ...options });
}

/** A name for readers: one line in NFC, never blank, without control characters and surrounding white space. */
export function Name(maxLength: number, options: { description?: string } = {}) {
  return Type.String({ minLength: 1, maxLength, 'x-line': true, ...options });
}

/** Like {@link Name}, but may be empty. */
export function Title(maxLength: number, options: { description?: string } = {}) {
  return Type.String({ maxLength, 'x-line': true, ...options });
}

/** A shell command, or `''` for none; it is never only white space, which would run and change nothing. */
export function Command(maxLength: number) {
  return Text(maxLength, { pattern: String.raw`^$|\S`, 'x-form': 'a command, or "" for none' });
}

/** One of a fixed set of strings: an `enum`, which serializes faster than a union of literals. */
export function OneOf<const T extends string>(
  values: readonly T[],
  options: { description?: string; default?: NoInfer<T> } = {},
) {
  return Type.Unsafe<T>({ type: 'string', enum: values, ...options });
}

export const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
export const NullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] });

/** A time in a response: a `Date` in the program, ISO 8601 with milliseconds and `Z` on the wire. */
export const Timestamp = Type.Unsafe<Date>({ type: 'string', format: 'date-time' });
export const NullableTimestamp = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });
/** A time in a request; stays a string until the service parses it. */
export const TimestampInput = Type.String({ format: 'date-time', maxLength: 40 });

export const Id = Type.String({ maxLength: 64 });
/** The resource that an event or an entry of the audit log is about. Each use has its own description. */
export const Resource = () =>
  Type.Object({
    type: Type.String(),
    id: Type.String({ maxLength: 300, description: 'Its id, or its name if it has no id: `local:acme/web`.' }),
  });
/** The bytes of a file. */
export const Bytes = Type.Unsafe<string>({ type: 'string', format: 'binary' });
/** A free-form JSON object that is passed through unchanged. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
export const Principal = named(
  'Principal',
  Type.Object({
    type: OneOf(['user', 'service_user', 'app', 'session', 'system', 'provider']),
    id: Id,
    name: Type.String(),
  }),
);
explain('Principal', {
  type: 'A user, a service user, an app, a session, the platform itself (`system`), or an account of a git host (`provider`).',
  name: 'Its current name; for a session its title. "" for the platform itself, and for one that is gone.',
});

/** A request body of `/v3`: unknown keys are rejected. */
export function Body<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Returns true if a request must have a body: for PUT and PATCH, and if a field is required. */
export function needsBody(method: string, body: TSchema): boolean {
  const required: unknown = Reflect.get(body, 'required');
  return ['PUT', 'PATCH'].includes(method.toUpperCase()) || (Array.isArray(required) && required.length > 0);
}

/** The page parameters of every list, merged with its own filters. */
export function ListQuery<T extends TProperties>(filters: T) {
  return Type.Object(
    {
      first: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Number of items on a page.' }),
      ),
      after: Type.Optional(Text(1_000, { description: 'The `end_cursor` of the previous page.' })),
      ...filters,
    },
    { additionalProperties: false },
  );
}

/** The response of a list of a named item, with fields of its own; the list is named `<Item>List`. */
export function List<T extends TSchema>(item: T & { $ref?: unknown }, own: TProperties = {}) {
  const list = Type.Object({
    items: Type.Array(item),
    end_cursor: Type.String({ description: 'Send it as `after` for the next page; "" on an empty page.' }),
    has_next_page: Type.Boolean(),
    total: Type.Integer({ minimum: 0, description: 'Exact up to 10,000; above that an estimate, never smaller.' }),
    ...own,
  });
  return componentOf(`${String(item.$ref).replace('#', '')}List`, list);
}

const Issue = named(
  'Issue',
  Type.Object({
    in: OneOf(['body', 'query', 'path', 'header']),
    path: Type.Array(Type.String()),
    code: Type.String(),
    message: Type.String(),
    file: Type.Optional(Type.String()),
    line: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
);
explain('Issue', {
  in: 'The part of the request.',
  path: 'The keys and indices that lead to the field, such as `["budget", "max_turns"]`; `[]` for all of that part.',
  code: 'What is wrong, for programs, such as `missing` or `string_too_long`; `value_error` for a rule without a code.',
  message: 'What is wrong, without the name of the field: `must be a URL`.',
  file: 'Of a field that holds files: the file; "" for all of them.',
  line: 'The line in that file, counted from 1; 0 if the issue has no line.',
});

export const ErrorBody = named(
  'Error',
  Type.Object({
    error: Type.String({ description: 'Machine-readable code.' }),
    message: Type.String(),
    details: Type.Optional(
      Type.Object(
        {
          issues: Type.Optional(
            Type.Array(Issue, { description: 'What is wrong with the request, field by field; at most 50.' }),
          ),
        },
        {
          additionalProperties: true,
          description: 'More about it, for programs, such as a limit. Not every error has any.',
        },
      ),
    ),
    request_id: Type.Optional(Type.String()),
  }),
);

export const ValidationErrorBody = named(
  'ValidationError',
  Type.Object({
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.String(), {
          description: 'Where: `body`, `query`, `path` or `header`, and the keys and indices from there.',
        }),
        msg: Type.String({ description: 'What is wrong, in words.' }),
        type: Type.String({ description: 'What is wrong, for programs.' }),
        input: Type.Unsafe<unknown>({ description: 'What was sent there.' }),
        ctx: {
          ...AnyObject,
          description: 'What is expected, such as a limit; `{}` for nothing.',
        },
      }),
      { description: 'What is wrong, one by one.' },
    ),
  }),
);
