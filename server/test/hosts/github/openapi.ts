import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { readPeerFile } from '../peers.ts';

type Json = Readonly<Record<string, unknown>>;

/** One exchange with GitHub's REST API. `path` is below the base URL. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
}

/** GitHub's own description of its REST API. Judges in process, which takes a millisecond where a proxy takes ten seconds to start. */
export interface OpenApiJudge {
  /** Returns what an exchange does against the description; nothing for one as described. */
  problems(exchange: Exchange): string[];
  /** Returns the example of an operation's response, such as `get /user`. */
  example(operation: string, status: number): Json;
}

/** Statuses that any operation may answer with, although the description names them for a few only; their body is a basic error. */
const anywhere = new Set([401, 403, 404, 422, 429, 500, 502, 503]);
const redirects = new Set([301, 302, 307]);

/** Loads the description of `api.github.com`, or of a GitHub Enterprise Server such as `ghes-3.19`. */
export function openApiJudge(name: 'api.github.com' | 'ghes-3.19'): OpenApiJudge {
  const document: unknown = JSON.parse(readPeerFile(`@octokit/openapi/generated/${name}.json`));
  rewriteNullable(document);
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, validateFormats: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(object(document), 'github');
  const validators = new Map<string, ValidateFunction>();
  const at = (pointer: readonly string[]): unknown =>
    pointer.reduce<unknown>((value, key) => object(value)[key], document);
  const resolve = (pointer: readonly string[]): readonly string[] => {
    const ref = object(at(pointer))['$ref'];
    return typeof ref === 'string' ? resolve(ref.slice(2).split('/').map(decode)) : pointer;
  };
  const invalid = (pointer: readonly string[], value: unknown): string[] => {
    const ref = `github#/${pointer.map(encode).join('/')}`;
    const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
    validators.set(ref, validate);
    return validate(value) ? [] : [ajv.errorsText(validate.errors)];
  };
  const paths = Object.keys(object(object(document)['paths'])).map((path) => ({ path, parts: path.split('/') }));

  function find({ method, path }: Exchange): readonly string[] | undefined {
    const parts = path.split('/');
    const found = paths
      .filter((one) => matches(one.parts, parts) && object(at(['paths', one.path]))[method.toLowerCase()] !== undefined)
      .sort((one, other) => literals(other.parts) - literals(one.parts))[0];
    return found === undefined ? undefined : ['paths', found.path, method.toLowerCase()];
  }

  function queryProblems(operation: readonly string[], query: URLSearchParams): string[] {
    const parameters = array(object(at(operation))['parameters']).map((_, index) =>
      resolve([...operation, 'parameters', String(index)]),
    );
    const inQuery = parameters.filter((pointer) => object(at(pointer))['in'] === 'query');
    return [...query].flatMap(([key, value]) => {
      const pointer = inQuery.find((one) => object(at(one))['name'] === key);
      if (pointer === undefined) return [`the query parameter ${key} does not exist`];
      const schema = resolve([...pointer, 'schema']);
      const isNumber = object(at(schema))['type'] === 'integer';
      return invalid(schema, isNumber ? Number(value) : value).map((text) => `query ${key}: ${text}`);
    });
  }

  function requestProblems(operation: readonly string[], body: unknown): string[] {
    if (object(at(operation))['requestBody'] === undefined)
      return body === undefined ? [] : ['the request must have no body'];
    const description = resolve([...operation, 'requestBody']);
    if (body === undefined) return object(at(description))['required'] === true ? ['the request must have a body'] : [];
    const schema = resolve([...description, 'content', 'application/json', 'schema']);
    const known = Object.keys(object(object(at(schema))['properties']));
    // The description allows unknown fields, which GitHub ignores: a typing error must not pass.
    const unknown = known.length === 0 ? [] : Object.keys(object(body)).filter((key) => !known.includes(key));
    return [
      ...unknown.map((key) => `the request's field ${key} does not exist`),
      ...invalid(schema, body).map((text) => `request: ${text}`),
    ];
  }

  function responseProblems(operation: readonly string[], { status, responseBody }: Exchange): string[] {
    const described = object(object(at(operation))['responses'])[String(status)];
    if (described === undefined) {
      if (redirects.has(status)) return [];
      if (!anywhere.has(status)) return [`status ${status} is not described`];
      return invalid(['components', 'schemas', 'basic-error'], responseBody).map((text) => `response: ${text}`);
    }
    const pointer = resolve([...operation, 'responses', String(status)]);
    if (object(at(pointer))['content'] === undefined)
      return responseBody === undefined ? [] : [`a response with status ${status} has no body`];
    const schema = [...pointer, 'content', 'application/json', 'schema'];
    return invalid(schema, responseBody).map((text) => `response: ${text}`);
  }

  return {
    problems(exchange) {
      const operation = find(exchange);
      const label = `${exchange.method} ${exchange.path} ${exchange.status}: `;
      if (operation === undefined) return [`${label}GitHub has no such operation`];
      const found = [
        ...queryProblems(operation, exchange.query),
        // A refusal of an invalid request is as described.
        ...requestProblems(operation, exchange.requestBody),
        ...responseProblems(operation, exchange),
      ];
      return found.map((text) => `${label}${text}`);
    },
    example(operation, status) {
      const [method = '', path = ''] = operation.split(' ');
      const response = resolve(['paths', path, method, 'responses', String(status)]);
      const examples = [...response, 'content', 'application/json', 'examples'];
      const [first = ''] = Object.keys(object(at(examples)));
      const value = object(at(resolve([...examples, first])))['value'];
      return object(structuredClone(Array.isArray(value) ? value[0] : value));
    },
  };
}

/** Rewrites OpenAPI 3.0's `nullable` as JSON Schema has it, in place: a copy of 13 MB takes a second. */
function rewriteNullable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) rewriteNullable(part);
  if (!('nullable' in value) || value.nullable !== true) return;
  const schema = { ...value };
  delete schema.nullable;
  for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
  Object.assign(value, { anyOf: [schema, { type: 'null' }] });
}

function matches(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length && template.every((part, index) => part.startsWith('{') || part === parts[index])
  );
}

function literals(template: readonly string[]): number {
  return template.filter((part) => !part.startsWith('{')).length;
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function encode(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function decode(key: string): string {
  return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
}
