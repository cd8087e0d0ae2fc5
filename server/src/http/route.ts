import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import type { AuthenticatedCaller } from '../caller.ts';
import type { Audience } from '../lib/keys.ts';
import type { Scope } from '../lib/scopes.ts';
import { setETag, tagsOf, type Tags } from './etags.ts';
import { exampleField, type Examples } from './examples.ts';
import { archiveOptions, uploadOptions, withFile } from './file-bodies.ts';
import { accessOf, whoMayCall } from './openapi-document.ts';
import { headersField, type ResponseHeader } from './openapi-headers.ts';
import { requestHeaders } from './request-headers.ts';
import { contentOf, queryField, type Mount } from './route-schema.ts';
import { Body, Bytes, componentOf, ErrorBody, Id, needsBody, ValidationErrorBody } from './schema.ts';

export type { Mount } from './route-schema.ts';

/** `any` accepts every valid key; `none` requires no key. */
export type RouteScope = Scope | 'any' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the caller needs. */
    scope?: RouteScope;
    /** Accepts a key as the password of basic authentication too. */
    basic?: boolean;
    /** `mcp` accepts a user's tool token besides API keys, `callback` the callback token of a run's attempt. */
    audience?: Audience | 'callback';
    /** Every status that the route may send; any other becomes a 500. */
    statuses?: ReadonlySet<number>;
    /** Accepts a JSON body; none is the same as `{}`. */
    takesBody?: boolean;
    /** Rejects an empty JSON body. */
    needsBody?: boolean;
    /** Only for users: rejects any other principal as if it lacked the scope. */
    persons?: boolean;
    /** Concerns the user of a cookie, who need not name an organization. */
    personal?: boolean;
    /** Serves organizations that the operator suspended, too. */
    whileSuspended?: boolean;
    /** Serves changes in an organization that is being deleted, too. */
    whileDeleting?: boolean;
    /** Browsers are sent here, so errors are shown as a page. */
    inBrowser?: boolean;
    /** A read that a cookie opens only for our own pages. */
    ownPages?: boolean;
    /** Accepts a preview's ticket at the beginning of the rest of the path. */
    takesTicket?: boolean;
    /** A GET that asks an external service; it has no HEAD. */
    asksOthers?: boolean;
    /** Formats errors as `{detail: […]}` and `{error, message}` instead of the envelope of `/v3`. */
    unversioned?: boolean;
    /** Accepts a form with one or several files instead of JSON. */
    multipart?: { maxBytes: number; maxFiles?: number };
  }
}

/** Registers itself below its feature's mount. */
export type Route = (app: FastifyInstance, mount: Mount, tag: string) => void;

/** A resource group of the API, as in the table of contents. */
export interface Feature {
  /** The group's name in the OpenAPI document. */
  tag: string;
  /** A description of the group; `''` for one that the document omits. */
  description: string;
  mount: Mount;
  /** Some of its routes accept files, or a zip archive instead of JSON, or read their JSON bodies themselves. */
  multipart?: boolean;
  archives?: boolean;
  streams?: boolean;
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

/** The whole contract of a route: everything that a client can send or receive. */
export interface RouteContract<P extends TProperties, Q extends TSchema, B extends TSchema, A extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the mount, in Fastify's form: `/service-users/:id`. */
  path: string;
  /** Unique in the document; also the name of the client's method. */
  id: string;
  summary: string;
  description?: string;
  scope: RouteScope;
  /** Accepts the callback token of a run's attempt besides API keys. */
  audience?: 'callback';
  /** Only for users (403 `forbidden`), whatever the scopes of another principal's key. */
  persons?: boolean;
  /** Concerns the user rather than an organization: a cookie need not name one. */
  personal?: boolean;
  /** Serves organizations that the operator suspended, too. */
  whileSuspended?: boolean;
  /** Serves changes in an organization that is being deleted, too; reads are always served. */
  whileDeleting?: boolean;
  /** Browsers are sent here: a client that accepts HTML gets errors as a page. */
  inBrowser?: boolean;
  /** A GET that asks an external service; it has no HEAD. */
  asksOthers?: boolean;
  /** A GET that a cookie opens only for our own pages, because it does more than read. */
  ownPages?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** Example requests; required for every body with fields. */
  examples?: Examples<B>;
  /**
   * Accepts a form with one file, in the field `file`, instead of a JSON body; read it with `fileOf`. With `maxFiles`
   * it accepts that many such fields, and `maxBytes` limits them together; read them with `filesOf`.
   */
  multipart?: { maxBytes: number; maxFiles?: number };
  /**
   * Also accepts a zip archive, as `application/zip` or as the file of a form; read it with `archiveOf`, and call
   * `beginIdempotent` in the handler. `bodyLimit` applies to its bytes.
   */
  archive?: { maxBytes: number };
  /** The success status. */
  status: 101 | 200 | 201 | 202 | 204 | 302 | 307;
  /** When it sends 204 instead, as a sentence. */
  empty?: string;
  /** When it sends 200 with the same body instead, as a sentence. */
  repeated?: string;
  /** The body of a successful response. */
  answer: A;
  /** The media type of a response that is not JSON; `answer` then describes it. */
  answerType?: string;
  /** The schema of one line of a response in lines, or of one event by `framesOf`. */
  item?: TSchema;
  /** The success headers besides those that every operation of its kind sends. */
  sends?: readonly ResponseHeader[];
  /** The response at the target of a redirect. */
  followed?: { answerType: string; description: string };
  /** The request headers that it reads besides those that every operation of its kind does. */
  headers?: TProperties;
  /** Error statuses besides those that every route of its kind can send: 402, 409, 410, 412, 502 … */
  errors?: number[];
  /** The record that the operation concerns, if `answer` is not the record itself: what a DELETE deletes. */
  record?: TSchema;
  /** A GET that sends an `ETag` of its own, and asks `isCurrent`. */
  tagged?: boolean;
  /** Evaluates `If-Match` with `requireMatch`, as every PUT, PATCH and DELETE of a record does. */
  revises?: boolean;
  /** The maximum size of a body in bytes; 1 MiB by default, and 16 KiB without authentication. */
  bodyLimit?: number;
  handle(exchange: Exchange<Values<P>, Static<Q>, Static<B>>): Promise<Static<A> | FastifyReply> | Static<A>;
}

/** An operation's way with the record that it concerns. */
interface RecordTraits {
  tags: Tags | undefined;
  /** Evaluates `If-Match`. */
  revises: boolean;
  /** Evaluates `If-None-Match`. */
  caches: boolean;
}

const changing: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);
const commonFailures = [400, 401, 403, 404, 429, 500, 503];
/** Errors of all methods that change something: a conflict, or an unsupported body. */
const changeFailures = [409, 413, 415];

/** Declares one operation. */
export function route<
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a path without parameters has none to read
  P extends TProperties = Record<never, never>,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
>(contract: RouteContract<P, Q, B, A>): Route {
  const { multipart, archive, body: fields = contract.method === 'POST' ? Body({}) : undefined } = contract;
  const isFile = contract.body === undefined && (multipart ?? archive) !== undefined;
  const body = fields === undefined || isFile ? undefined : requestBody(contract.id, fields);
  return (app, mount, tag) => {
    const failures = new Set([...commonFailures, ...(contract.errors ?? [])]);
    if (contract.method !== 'GET') for (const status of changeFailures) failures.add(status);
    const tags = tagsOf(app, contract.record ?? contract.answer);
    const revises = tags !== undefined && (contract.revises ?? changing.has(contract.method));
    if (revises) failures.add(412);
    const traits: RecordTraits = {
      tags,
      revises,
      caches: contract.method === 'GET' && (tags?.ofContent ?? contract.tagged === true),
    };
    if (mount === 'root') failures.add(422);
    const schema = { ...schemaOf(contract, mount, tag, failures, traits), ...(body === undefined ? {} : { body }) };
    const rare = [
      ...(traits.caches ? [304] : []),
      ...(contract.empty === undefined ? [] : [204]),
      ...(contract.repeated === undefined ? [] : [200]),
    ];
    app.route({
      method: contract.method,
      url: contract.path,
      config: {
        scope: contract.scope,
        statuses: new Set([contract.status, ...failures, ...rare]),
        ...(contract.audience === undefined ? {} : { audience: contract.audience }),
        ...(tags === undefined ? {} : { tags, revises }),
        takesBody: body !== undefined,
        needsBody: contract.body !== undefined && needsBody(contract.method, contract.body),
        persons: contract.persons === true,
        personal: contract.personal === true,
        inBrowser: contract.inBrowser === true,
        asksOthers: contract.asksOthers === true,
        ownPages: contract.ownPages === true,
        whileSuspended: contract.whileSuspended === true,
        whileDeleting: contract.whileDeleting === true,
        unversioned: mount === 'root',
        ...withFile(contract),
      },
      schema,
      bodyLimit: contract.bodyLimit ?? (contract.scope === 'none' ? maxAnonymousBytes : maxBodyBytes),
      ...(contract.multipart === undefined ? {} : uploadOptions(app, schema, contract.multipart)),
      ...(contract.archive === undefined ? {} : archiveOptions(app, schema)),
      handler: async (request, reply) => {
        reply.code(contract.status);
        const answer = await contract.handle(exchangeOf<Values<P>, Static<Q>, Static<B>>(request, reply));
        // A stored response to an idempotent request was sent by the handler itself.
        if (answer === reply || reply.sent || !setETag(reply, answer)) return answer;
        return reply.code(304).send();
      },
    });
  };
}

const maxBodyBytes = 1_048_576;
/** The default body limit of routes without authentication. */
const maxAnonymousBytes = 16_384;

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
  traits: RecordTraits,
): Record<string, unknown> {
  const params = { ...(mount === 'organization' ? { orgId: Id } : {}), ...contract.params };
  const { query } = contract;
  const access = { persons: contract.persons === true };
  const response: Record<number, unknown> = {};
  for (const status of failures) response[status] = status === 422 ? ValidationErrorBody : ErrorBody;
  const { answer, answerType, item, followed } = contract;
  response[contract.status] = answerType === undefined ? answer : contentOf(answerType, answer, item);
  if (traits.caches) response[304] = Type.Null();
  if (contract.empty !== undefined) response[204] = { ...Type.Null(), description: contract.empty };
  if (contract.repeated !== undefined) response[200] = { ...answer, description: contract.repeated };
  if (followed !== undefined)
    response[200] = { description: followed.description, ...contentOf(followed.answerType, Bytes) };
  return {
    operationId: contract.id,
    summary: contract.summary,
    description: [contract.description, whoMayCall(contract.scope, access)]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    tags: [tag],
    ...accessOf(contract.scope, access),
    ...exampleField(contract.examples),
    ...headersField({
      ...contract,
      hasETag: (traits.tags !== undefined || contract.tagged === true) && contract.status !== 204,
      caches: traits.caches,
    }),
    ...(Object.keys(params).length === 0 ? {} : { params: Type.Object(params) }),
    ...queryField(mount, query),
    ...requestHeaders(contract, traits),
    response,
  };
}

/** A request body as a component of the document, so that generated clients have a name for it. */
function requestBody(operationId: string, body: TSchema): TSchema {
  const isEmpty = 'properties' in body && Object.keys(Object(body.properties)).length === 0;
  return componentOf(
    isEmpty ? 'EmptyRequest' : `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`,
    body,
  );
}
