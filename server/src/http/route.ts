import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import type { AuthenticatedCaller } from '../caller.ts';
import type { Door } from '../lib/keys.ts';
import type { Scope } from '../lib/scopes.ts';
import { exampleField, type Examples } from './examples.ts';
import { archiveOptions, uploadOptions, withFile } from './file-bodies.ts';
import { accessOf, whoMayCall } from './openapi-document.ts';
import { componentOf, ErrorBody, Id, needsBody, ValidationErrorBody } from './schema.ts';

/** `any` takes every valid key; `none` takes no key at all. */
export type RouteScope = Scope | 'any' | 'none';

/**
 * Where a feature's paths begin: `organization` below `/v3/organizations/{orgId}`, `v3` below `/v3`, `root` for the
 * unversioned operations, which have the other error envelope.
 */
export type Mount = 'organization' | 'v3' | 'root';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller needs. */
    scope?: RouteScope;
    /** Takes a key as the password of basic authentication too. */
    basic?: boolean;
    /** `mcp` takes a person's tool token beside API keys. */
    door?: Door;
    /** Every status the route may send; anything else becomes a 500. */
    statuses?: ReadonlySet<number>;
    /** Takes a JSON body; sending none is the same as sending `{}`. */
    takesBody?: boolean;
    /** Refuses a JSON body without a byte in it. */
    needsBody?: boolean;
    /** Only for persons: any other principal is refused as if it lacked the scope. */
    persons?: boolean;
    /** Concerns the person behind a cookie, who need not name an organization. */
    personal?: boolean;
    /** Answers also in an organization that the operator suspended. */
    whileSuspended?: boolean;
    /** Changes something also in an organization that is being deleted. */
    whileDeleting?: boolean;
    /** A browser is sent here, so it is told in a page what went wrong. */
    inBrowser?: boolean;
    /** Errors as `{detail: […]}` and `{error, message}` instead of the envelope of `/v3`. */
    unversioned?: boolean;
    /** Takes a form with one file instead of JSON, or with several. */
    multipart?: { maxBytes: number; maxFiles?: number };
  }
}

/** Registers itself below its feature's mount. */
export type Route = (app: FastifyInstance, mount: Mount, tag: string) => void;

/** One resource group of the API: what the table of contents lists. */
export interface Feature {
  /** The group's name in the OpenAPI document. */
  tag: string;
  /** What the group is for; `''` for one that the document leaves out. */
  description: string;
  mount: Mount;
  /** Some of its routes take files. */
  multipart?: boolean;
  /** Some of its routes take a zip archive in place of JSON. */
  archives?: boolean;
  /** Its resources: `<resource>_not_found` is an error code. */
  errors?: readonly string[];
  routes: Route[];
}

type Values<P extends TProperties> = { [K in keyof P]: Static<P[K]> };

export interface Exchange<P, Q, B> {
  caller: AuthenticatedCaller;
  params: P;
  query: Q;
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A route's whole contract. Everything a client can send or receive is named here. */
export interface RouteContract<P extends TProperties, Q extends TSchema, B extends TSchema, A extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the mount, in Fastify's form: `/service-users/:id`. */
  path: string;
  /** Unique in the document, and the name of the client's method. */
  id: string;
  summary: string;
  description?: string;
  scope: RouteScope;
  /** Only for persons (403 `forbidden`), whatever scopes a machine's key has. */
  persons?: boolean;
  /** Concerns the person rather than an organization: a cookie need not name one. */
  personal?: boolean;
  /** Answers also in an organization that the operator suspended. */
  whileSuspended?: boolean;
  /** Changes something also in an organization that is being deleted; reads do so anyway. */
  whileDeleting?: boolean;
  /** A browser is sent here: one that takes HTML is told in a page what went wrong. */
  inBrowser?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** Requests with this body; every body that has fields has some. */
  examples?: Examples<B>;
  /**
   * A form with one file, in its field `file`, instead of a JSON body; `fileOf` reads it. With `maxFiles` it takes that many
   * of such fields, and `maxBytes` of all files; `filesOf` reads them.
   */
  multipart?: { maxBytes: number; maxFiles?: number };
  /**
   * In place of its JSON body it takes a zip archive, as `application/zip` or as the file of a form; `archiveOf` reads it,
   * and `beginIdempotent` is the handler's to call. The bytes count as `bodyLimit` does.
   */
  archive?: { maxBytes: number };
  /** The status of success. */
  status: 200 | 201 | 202 | 204 | 302 | 307;
  /** The body of success. */
  answer: A;
  /** The media type of an answer that is not JSON; `answer` describes it then. */
  answerType?: string;
  /** Statuses of failure beyond those that any route of its kind can send: 402, 409, 410, 412, 502 … */
  errors?: number[];
  /** Changes an object with a `revision`: `If-Match` may name it, and the handler looks (`requireRevision`). */
  revised?: boolean;
  /** The most bytes a body may have; 1 MiB unless told, and 16 KiB of who need not say who they are. */
  bodyLimit?: number;
  handle(exchange: Exchange<Values<P>, Static<Q>, Static<B>>): Promise<Static<A> | FastifyReply> | Static<A>;
}

const commonFailures = [400, 401, 403, 404, 429, 500, 503];
/** Those of the methods that change something: a body that cannot be, and a change that collides with another one. */
const changeFailures = [409, 413, 415];

/** Answers JSON that is text already and fits the declared answer; it is sent as it is. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** Declares one operation. */
export function route<
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a path without parameters has none to read
  P extends TProperties = Record<never, never>,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
>(contract: RouteContract<P, Q, B, A>): Route {
  const body = contract.body === undefined ? undefined : requestBody(contract.id, contract.body);
  return (app, mount, tag) => {
    const failures = new Set([...commonFailures, ...(contract.errors ?? [])]);
    if (contract.method !== 'GET') for (const status of changeFailures) failures.add(status);
    if (contract.revised === true) failures.add(412);
    if (mount === 'root') failures.add(422);
    const schema = { ...schemaOf(contract, mount, tag, failures), ...(body === undefined ? {} : { body }) };
    app.route({
      method: contract.method,
      url: contract.path,
      config: {
        scope: contract.scope,
        statuses: new Set([contract.status, ...failures]),
        takesBody: contract.body !== undefined,
        needsBody: contract.body !== undefined && needsBody(contract.method, contract.body),
        persons: contract.persons === true,
        personal: contract.personal === true,
        inBrowser: contract.inBrowser === true,
        whileSuspended: contract.whileSuspended === true,
        whileDeleting: contract.whileDeleting === true,
        unversioned: mount === 'root',
        ...withFile(contract),
      },
      schema,
      bodyLimit: contract.bodyLimit ?? (contract.scope === 'none' ? maxStrangersBytes : maxBodyBytes),
      ...(contract.multipart === undefined ? {} : uploadOptions(app, schema, contract.multipart)),
      ...(contract.archive === undefined ? {} : archiveOptions(app, schema)),
      handler: async (request, reply) => {
        reply.code(contract.status);
        return contract.handle(exchangeOf<Values<P>, Static<Q>, Static<B>>(request, reply));
      },
    });
  };
}

const maxBodyBytes = 1_048_576;
/** Of those who need not say who they are. */
const maxStrangersBytes = 16_384;

function exchangeOf<P, Q, B>(request: FastifyRequest, reply: FastifyReply): Exchange<P, Q, B> {
  const { caller, params, query, body } = request;
  // Fastify validated all three against the schemas that these types are inferred from.
  // oxlint-disable-next-line typescript/consistent-type-assertions -- no type guard could say more than the validation did
  return { caller, params, query, body, request, reply } as Exchange<P, Q, B>;
}

function schemaOf<P extends TProperties, Q extends TSchema, B extends TSchema, A extends TSchema>(
  contract: RouteContract<P, Q, B, A>,
  mount: Mount,
  tag: string,
  failures: ReadonlySet<number>,
): Record<string, unknown> {
  const params = { ...(mount === 'organization' ? { orgId: Id } : {}), ...contract.params };
  const { query } = contract;
  const access = { persons: contract.persons === true };
  const response: Record<number, unknown> = {};
  for (const status of failures) response[status] = status === 422 ? ValidationErrorBody : ErrorBody;
  const { answer, answerType } = contract;
  response[contract.status] = answerType === undefined ? answer : { content: { [answerType]: { schema: answer } } };
  return {
    operationId: contract.id,
    summary: contract.summary,
    description: [contract.description, whoMayCall(contract.scope, access)]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    tags: [tag],
    ...accessOf(contract.scope, access),
    ...exampleField(contract.examples),
    ...(Object.keys(params).length === 0 ? {} : { params: Type.Object(params) }),
    ...(mount === 'root'
      ? query === undefined
        ? {}
        : { querystring: lenient(query) }
      : { querystring: query ?? noQuery }),
    ...headersOf(contract),
    response,
  };
}

function headersOf({ method, scope, revised }: { method: string; scope: RouteScope; revised?: boolean }) {
  const headers = {
    ...(method === 'POST' && scope !== 'none' ? { 'idempotency-key': idempotencyKey } : {}),
    ...(revised === true ? { 'if-match': ifMatch } : {}),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: Type.Object(headers) };
}

const idempotencyKey = Type.Optional(
  Type.String({
    pattern: '^[\\x21-\\x7e]{1,255}$',
    description: 'A repetition with the same key within 24 hours returns the first response again.',
  }),
);

const ifMatch = Type.Optional(
  Type.String({
    maxLength: 1_000,
    description: 'The revision to change, such as `"3"`; 412 `revision_conflict` if it is no longer the current one.',
  }),
);

/** `/v3` refuses keys that it does not know, also where it knows none. */
const noQuery = Type.Object({}, { additionalProperties: false });

/** The unversioned operations ignore keys that they do not know. */
function lenient(query: TSchema): TSchema {
  return { ...query, additionalProperties: true };
}

/** A request body as a component of the document, so that generated clients have a name for it. */
function requestBody(operationId: string, body: TSchema): TSchema {
  const isEmpty = 'properties' in body && Object.keys(Object(body.properties)).length === 0;
  return componentOf(
    isEmpty ? 'EmptyRequest' : `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`,
    body,
  );
}
