import type { HTTPMethods } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id } from '../../http/schema.ts';
import { AppError } from '../../lib/errors.ts';
import {
  CreateMemoryNote,
  GeneratedMemory,
  MemoryNote,
  MemoryNoteList,
  MemoryPlace,
  MemoryProjections,
  MemoryQuery,
  noteBodyBytes,
  ProjectionQuery,
  UpdateMemoryNote,
} from './schemas.ts';
import {
  createNote,
  deleteGenerated,
  deleteNote,
  getNote,
  listGenerated,
  listNotes,
  listProjections,
  updateNote,
} from './service.ts';
import * as examples from './examples.ts';

type MemoryContext = Pick<Context, 'db' | 'clock'>;

export function memoryRoutes(ctx: MemoryContext): Route[] {
  return [...noteRoutes(ctx), ...generatedRoutes(ctx), ...readOnlyRoutes];
}

function noteRoutes(ctx: MemoryContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/memory/notes',
      id: 'listMemoryNotes',
      summary: 'List memory notes',
      description:
        'Newest first. `materialized_revision` is the newest revision that sessions of the repository were given.',
      scope: 'knowledge:read',
      query: MemoryQuery,
      status: 200,
      answer: MemoryNoteList,
      handle: ({ caller, query }) => listNotes(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/memory/notes',
      id: 'createMemoryNote',
      summary: 'Create a memory note',
      description:
        'Sessions get it when they start in a fresh workspace with memory enabled, never during a run. 400 ' +
        '`content_required`, `content_too_large`, `title_too_long`.',
      scope: 'memory:write',
      body: CreateMemoryNote,
      examples: examples.createMemoryNote,
      bodyLimit: noteBodyBytes,
      status: 201,
      answer: MemoryNote,
      handle: ({ caller, body }) => createNote(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/memory/notes/:memoryId',
      id: 'getMemoryNote',
      summary: 'Get a memory note',
      description: 'Returns its newest revision. `materialized_revision` is the newest one that sessions were given.',
      scope: 'knowledge:read',
      params: { memoryId: Id },
      status: 200,
      answer: MemoryNote,
      handle: ({ caller, params }) => getNote(ctx, caller, params.memoryId),
    }),
    route({
      method: 'PATCH',
      path: '/memory/notes/:memoryId',
      id: 'updateMemoryNote',
      summary: 'Update a memory note',
      description: 'A change of title or content creates a new revision; older ones are kept.',
      scope: 'memory:write',
      params: { memoryId: Id },
      body: UpdateMemoryNote,
      examples: examples.updateMemoryNote,
      bodyLimit: noteBodyBytes,
      status: 200,
      answer: MemoryNote,
      handle: ({ caller, params, body }) => updateNote(ctx, caller, params.memoryId, body),
    }),
    route({
      method: 'DELETE',
      path: '/memory/notes/:memoryId',
      id: 'deleteMemoryNote',
      summary: 'Delete a memory note',
      description: 'Sessions that start later are told about the deletion.',
      scope: 'memory:write',
      params: { memoryId: Id },
      record: MemoryNote,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteNote(ctx, caller, params.memoryId),
    }),
    route({
      method: 'GET',
      path: '/memory/projections',
      id: 'listMemoryProjections',
      summary: 'List memory projections',
      description:
        'Lists the note revisions in each file of a session, all on one page; empty if memory was disabled. 404 ' +
        '`session_not_found`.',
      scope: 'knowledge:read',
      query: ProjectionQuery,
      status: 200,
      answer: MemoryProjections,
      handle: ({ caller, query }) => listProjections(ctx, caller, query.session_id),
    }),
  ];
}

function generatedRoutes(ctx: MemoryContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/memory/generated',
      id: 'listGeneratedMemory',
      summary: 'List generated memory',
      description:
        'Read-only: agents generate it, and it is collected after each run. Writing anything but its deletion ' +
        'returns 403 `memory_read_only`.',
      scope: 'knowledge:read',
      query: MemoryPlace,
      status: 200,
      answer: GeneratedMemory,
      handle: ({ caller, query }) => listGenerated(ctx, caller, query),
    }),
    route({
      method: 'DELETE',
      path: '/memory/generated',
      id: 'deleteGeneratedMemory',
      summary: 'Delete generated memory',
      description:
        'Permanent; harmless if there is none. Earlier sessions keep their files, and later ones collect new ' +
        'memory.',
      scope: 'memory:write',
      query: MemoryPlace,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, query }) => deleteGenerated(ctx, caller, query),
    }),
  ];
}

/** No operations, only a better error than 404 for attempts to write generated memory. */
const readOnlyRoutes: Route[] = [
  refuse('/memory/generated', ['POST', 'PUT', 'PATCH']),
  refuse('/memory/generated/*', ['POST', 'PUT', 'PATCH', 'DELETE']),
];

function refuse(url: string, method: HTTPMethods[]): Route {
  return (app) => {
    app.route({
      method,
      url,
      config: { scope: 'memory:write' },
      schema: { hide: true },
      handler: async () => {
        throw new AppError('memory_read_only', 'Only agents write generated memory. You can read and delete it.');
      },
    });
  };
}
