import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import type { AuthenticatedCaller, Precondition } from '../caller.ts';
import { AppError } from '../lib/errors.ts';
import { stepsOf } from '../lib/json-pointer.ts';
import { isRead } from './head.ts';
import { valueAt } from './issues.ts';
import { records } from './schema.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the tags of the record that the operation concerns. */
    tags?: Tags;
    /** Evaluates `If-Match`; the service must call `requireMatch`. */
    revises?: boolean;
  }
}

/** Returns the entity tags of a record's states. */
export interface Tags {
  /** Returns the tag of a record, or of its JSON text as the API returns it. */
  of(record: unknown): string;
  /** True if equal tags mean equal content; a revision does not count what the platform itself writes, such as a time of use. */
  ofContent: boolean;
}

/** Returns the tags of a component declared by `record`; undefined for any other schema. */
export function tagsOf(app: FastifyInstance, schema: TSchema): Tags | undefined {
  const name = String(Reflect.get(schema, '$ref')).replace('#', '');
  const revision = records.get(name);
  if (revision === undefined) return undefined;
  if (revision !== '') return { of: (record) => `"${String(valueAt(record, stepsOf(revision)))}"`, ofContent: false };
  let serialize: ((record: unknown) => string) | undefined;
  const textOf = (record: unknown): string => {
    // Compiled on first use, like all serializers.
    serialize ??= app.serializerCompiler?.({ schema, method: '', url: '' });
    if (serialize === undefined) throw new Error('The app has no serializer.');
    return serialize(record);
  };
  return {
    of: (record) =>
      `"${hash('sha256', typeof record === 'string' ? record : textOf(record), 'base64url').slice(0, 22)}"`,
    ofContent: true,
  };
}

/** Sets the `ETag` of a response. Returns true if a read can be answered with 304, because the client has this state. */
export function setETag(reply: FastifyReply, record: unknown): boolean {
  const { request } = reply;
  const { tags } = request.routeOptions.config;
  if (tags === undefined || record === null) return false;
  const current = tags.of(record);
  reply.header('etag', current);
  return isRead(request) && tags.ofContent && isCurrent(reply, current);
}

/** Sends JSON text that already fits the declared response, unchanged. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  if (setETag(reply, text)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}

/** Returns true if a read can be answered with 304, because the client has the state of this tag; sets its `ETag` then. */
export function isCurrent(reply: FastifyReply, current: string): boolean {
  const known = listed(reply.request.headers['if-none-match'] ?? '')
    .map((one) => one.replace(/^W\//, ''))
    .find((one) => one === '*' || recordTag(one) === current);
  // A 304 names the representation that the client has.
  if (known !== undefined) reply.header('etag', known === '*' ? current : known);
  return known !== undefined;
}

/** Returns the tag of a record's compressed representation, which is another one (RFC 9110, section 8.8.3). */
export function codedTag(etag: string, coding: string): string {
  return etag.replace(/"$/, `.${coding}"`);
}

/** Returns the record's tag, of the tag of any of its representations. */
function recordTag(etag: string): string {
  return etag.replace(/\.(?:br|gzip)"$/, '"');
}

/** Evaluates the `If-Match` of requests that change a record (RFC 9110, section 13.1.1). */
export function installPreconditions(app: FastifyInstance): void {
  app.addHook('preHandler', async (request) => {
    const { revises, tags } = request.routeOptions.config;
    const header = request.headers['if-match'];
    const caller: AuthenticatedCaller | undefined = request.caller;
    if (revises !== true || tags === undefined || header === undefined || caller === undefined) return;
    caller.request.precondition = preconditionOf(tags, header);
  });
}

function preconditionOf(tags: Tags, header: string): Precondition {
  const accepted = new Set(listed(header).map(recordTag));
  let etag: string | undefined;
  return {
    check(record) {
      etag = accepted.has('*') ? '*' : tags.of(record);
    },
    settle() {
      if (etag === undefined) throw new Error('A mutation ignored its If-Match.');
      if (accepted.has(etag)) return;
      throw new AppError(
        'revision_conflict',
        `The record was changed: its ETag is ${etag} now, not ${header.slice(0, 100)}. Read it again, and send If-Match with its ETag.`,
        { etag },
      );
    },
  };
}

/** Returns the entity tags of a header, which may contain commas, and `*`. */
function listed(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"|\*/g) ?? [];
}
