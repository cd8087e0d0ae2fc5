import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { responseOf } from '../support/openapi.ts';
import { valuesOf, type Manner, type Resolve, type Schema } from './json-schema.ts';

/** An operation of the document. */
export interface Operation {
  method: string;
  path: string;
  id: string;
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  /** By media type. */
  bodies: Record<string, Schema>;
  /** The response schemas by status, then by media type. */
  answers: Record<string, Record<string, Schema>>;
}

export interface FuzzRequest {
  operation: Operation;
  manner: Manner;
  path: string;
  headers: Record<string, string>;
  body: string | FormData | undefined;
}

/** Returns ids for a path's parameter: of existing resources and, unless they must be valid, of missing ones. */
export type Known = (path: string, parameter: string, manner: Manner) => string[];

export function operationsOf(document: Record<string, unknown>): Operation[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, value]): Operation => {
      const operation = Object(value);
      return {
        method: method.toUpperCase(),
        path,
        id: operation.operationId,
        parameters: operation.parameters ?? [],
        bodies: schemasByType(operation.requestBody),
        answers: Object.fromEntries(
          Object.entries(Object(operation.responses)).map(([status, answer]) => [
            status,
            schemasByType(responseOf(document, answer)),
          ]),
        ),
      };
    }),
  );
}

function schemasByType(holder: unknown): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(Object(Object(holder).content)).map(([type, media]) => [type, Object(media).schema]),
  );
}

/** Generates requests of all manners for one operation. */
export function requestsTo(operation: Operation, known: Known, resolve: Resolve): Arbitrary<FuzzRequest> {
  const inManner = (manner: Manner): Arbitrary<FuzzRequest> =>
    fc
      .record({
        path: paths(operation, manner, known),
        query: queries(operation, manner, resolve),
        body: bodies(operation, manner, resolve),
        headers: headers(operation, manner),
      })
      .map(({ path, query, body, headers: more }) => ({
        operation,
        manner,
        path: `${path}${query}`,
        body: body.content,
        headers: { ...(body.type === '' ? {} : { 'content-type': body.type }), ...more },
      }));
  return fc.oneof(
    { weight: 2, arbitrary: inManner('valid') },
    { weight: 1, arbitrary: inManner('boundary') },
    { weight: 1, arbitrary: inManner('invalid') },
  );
}

function paths(operation: Operation, manner: Manner, known: Known): Arbitrary<string> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = names.map((name) => {
    const there = fc.constantFrom(...known(operation.path, name, manner));
    if (manner !== 'invalid') return there;
    const strange = fc.constantFrom(
      'x',
      '..',
      '\u0000',
      '%',
      'a b',
      '0',
      '-1',
      'é'.repeat(40),
      'x'.repeat(300),
      'null',
    );
    return fc.oneof({ weight: 4, arbitrary: there }, { weight: 1, arbitrary: strange });
  });
  return fc
    .tuple(...values)
    .map((chosen) =>
      names.reduce((path, name, at) => path.replace(`{${name}}`, encodeURIComponent(chosen[at] ?? '')), operation.path),
    );
}

function queries(operation: Operation, manner: Manner, resolve: Resolve): Arbitrary<string> {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  const fields = Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, manner, resolve)]));
  const requiredKeys = parameters.filter(({ required }) => required && manner !== 'invalid').map(({ name }) => name);
  const all = fc.record(fields, { requiredKeys });
  // Filters combine, and many take words that no schema lists: with all of them, almost no request would be valid.
  const few = fc.record(Object.fromEntries(Object.entries(fields).filter(([name]) => requiredKeys.includes(name))));
  return fc
    .oneof({ weight: manner === 'invalid' ? 0 : 3, arbitrary: few }, { weight: 1, arbitrary: all })
    .map((chosen) => {
      const query = new URLSearchParams(
        Object.entries(chosen).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value),
        ]),
      );
      const text = query.toString().slice(0, 8_000);
      return text === '' ? '' : `?${text}`;
    });
}

interface Content {
  type: string;
  content: string | FormData | undefined;
}

/** Values that are refused, for fields whose real effect would leave the test. */
const harmless: Readonly<Record<string, unknown>> = {
  import_url: 'http://127.0.0.1:9/none.git',
  url: 'http://127.0.0.1:9/none.git',
  force: false,
};

function bodies(operation: Operation, manner: Manner, resolve: Resolve): Arbitrary<Content> {
  const none: Content = { type: '', content: undefined };
  if (operation.method === 'GET') return fc.constant(none);
  const takesForm = operation.bodies['multipart/form-data'] !== undefined;
  const schema = operation.bodies['application/json'];
  if (schema === undefined) return takesForm ? forms(manner) : fc.constant(none);
  const type = 'application/json';
  const json = valuesOf(schema, manner, resolve).map((value) => ({ type, content: JSON.stringify(tamed(value)) }));
  if (manner !== 'invalid') return takesForm ? fc.oneof(json, forms(manner)) : json;
  const strange = fc.constantFrom<Content>(
    none,
    { type, content: '{' },
    { type, content: '' },
    { type, content: '[[[[[]]]]]' },
    { type, content: '{"__proto__": {"x": 1}, "constructor": {"prototype": 1}}' },
    { type: 'text/plain', content: 'text' },
    { type: 'application/x-www-form-urlencoded', content: 'a=b' },
  );
  return fc.oneof({ weight: 5, arbitrary: json }, { weight: 1, arbitrary: strange });
}

function tamed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const named = Object.entries(harmless).filter(([name]) => name in value);
  return { ...value, ...Object.fromEntries(named) };
}

function forms(manner: Manner): Arbitrary<Content> {
  return fc.record({ name: fc.string({ maxLength: 60 }), bytes: fc.uint8Array({ maxLength: 5_000 }) }).map((file) => {
    const form = new FormData();
    form.append(manner === 'invalid' ? 'other' : 'file', new Blob([file.bytes]), file.name);
    return { type: '', content: form };
  });
}

function headers({ method }: Operation, manner: Manner): Arbitrary<Record<string, string>> {
  if (method !== 'POST')
    return fc.constantFrom<Record<string, string>[]>({}, manner === 'invalid' ? { 'if-match': 'x' } : {});
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c', 'd').map((key) => ({ 'idempotency-key': key })) },
  );
}
