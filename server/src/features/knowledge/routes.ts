import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { filesOf } from '../../http/multipart.ts';
import { Bytes, Id, ListQuery } from '../../http/schema.ts';
import { exportNotes } from './export-service.ts';
import { fingerprintOf, importLimits, importNotes } from './import-service.ts';
import {
  createNote,
  deleteNote,
  getNote,
  listNotes,
  listNoteVersions,
  replaceNote,
  restoreNote,
  updateKnowledgeNote,
} from './service.ts';
import {
  AcceptSuggestion,
  ExportKnowledgeQuery,
  KnowledgeImport,
  KnowledgeNote,
  KnowledgeNoteQuery,
  KnowledgeForPrompt,
  KnowledgeSearch,
  SearchKnowledge,
  KnowledgeSuggestion,
  NoteList,
  SearchKnowledgeQuery,
  SuggestionList,
  SuggestionQuery,
  UpdateKnowledgeNote,
  VersionList,
  WriteKnowledgeNote,
} from './schemas.ts';
import { explainForSession, searchForSession } from './search-service.ts';
import { acceptSuggestion, dismissSuggestion, listSuggestions } from './suggestion-service.ts';
import * as examples from './examples.ts';

type KnowledgeContext = Pick<Context, 'db' | 'clock'>;
const noteParams = { noteId: Id };

export function noteRoutes(ctx: KnowledgeContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/knowledge/notes',
      id: 'listKnowledgeNotes',
      summary: 'List knowledge notes',
      description: 'Newest first. Only their owner sees notes of the scope `user`.',
      scope: 'knowledge:read',
      query: KnowledgeNoteQuery,
      status: 200,
      answer: NoteList,
      handle: ({ caller, query }) => listNotes(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/knowledge/notes',
      id: 'createKnowledgeNote',
      summary: 'Create a knowledge note',
      description: 'Sessions that start from now on get it if it matches their prompt and repositories.',
      scope: 'memory:write',
      body: WriteKnowledgeNote,
      examples: examples.writeKnowledgeNote,
      status: 201,
      answer: KnowledgeNote,
      handle: ({ caller, body }) => createNote(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/knowledge/notes/:noteId',
      id: 'getKnowledgeNote',
      summary: 'Get a knowledge note',
      description: "Returns its newest revision. 404 also for another user's note of the scope `user`.",
      scope: 'knowledge:read',
      params: noteParams,
      status: 200,
      answer: KnowledgeNote,
      handle: ({ caller, params }) => getNote(ctx, caller, params.noteId),
    }),
    route({
      method: 'PUT',
      path: '/knowledge/notes/:noteId',
      id: 'replaceKnowledgeNote',
      summary: 'Replace a knowledge note',
      description:
        'Creates the next revision; omitted fields get their defaults. A change without effect creates none.',
      scope: 'memory:write',
      params: noteParams,
      body: WriteKnowledgeNote,
      examples: examples.writeKnowledgeNote,
      status: 200,
      answer: KnowledgeNote,
      handle: ({ caller, params, body }) => replaceNote(ctx, caller, params.noteId, body),
    }),
    route({
      method: 'PATCH',
      path: '/knowledge/notes/:noteId',
      id: 'updateKnowledgeNote',
      summary: 'Update a knowledge note',
      description: 'Creates the next revision; omitted fields stay unchanged. A change without effect creates none.',
      scope: 'memory:write',
      params: noteParams,
      body: UpdateKnowledgeNote,
      examples: examples.updateKnowledgeNote,
      status: 200,
      answer: KnowledgeNote,
      handle: ({ caller, params, body }) => updateKnowledgeNote(ctx, caller, params.noteId, body),
    }),
    route({
      method: 'DELETE',
      path: '/knowledge/notes/:noteId',
      id: 'deleteKnowledgeNote',
      summary: 'Delete a knowledge note',
      description: 'Deletes all its revisions too. Sessions that already got it keep its content.',
      scope: 'memory:write',
      params: noteParams,
      record: KnowledgeNote,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteNote(ctx, caller, params.noteId),
    }),
    route({
      method: 'GET',
      path: '/knowledge/notes/:noteId/versions',
      id: 'listKnowledgeNoteVersions',
      summary: "List a knowledge note's revisions",
      description:
        'Newest first, with full content. Only their owner sees revisions from when the note had the scope ' +
        '`user`.',
      scope: 'knowledge:read',
      params: noteParams,
      query: ListQuery({}),
      status: 200,
      answer: VersionList,
      handle: ({ caller, params, query }) => listNoteVersions(ctx, caller, params.noteId, query),
    }),
    route({
      method: 'POST',
      path: '/knowledge/notes/:noteId/versions/:revision/restore',
      id: 'restoreKnowledgeNoteVersion',
      summary: "Restore a knowledge note's revision",
      description:
        'Creates a new revision with the name, trigger, body, scope and repositories of the given one, unless the note ' +
        'has them already; no revision is lost. 404 `knowledge_note_not_found` if the revision does not exist.',
      scope: 'memory:write',
      params: { ...noteParams, revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
      revises: true,
      status: 200,
      answer: KnowledgeNote,
      handle: ({ caller, params }) => restoreNote(ctx, caller, params.noteId, params.revision),
    }),
  ];
}

export function knowledgeRoutes(ctx: KnowledgeContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/knowledge/search',
      id: 'searchKnowledge',
      summary: 'Search knowledge notes by prompt',
      description:
        'Returns the notes that a session with this prompt would be given: best first, at most the setting ' +
        '`knowledge.max_notes_per_session`. With `repo`, for a session on that repository, or on several ' +
        'separated by commas; without it, for any repository.',
      scope: 'knowledge:read',
      query: SearchKnowledgeQuery,
      status: 200,
      answer: KnowledgeSearch,
      handle: ({ caller, query }) => searchForSession(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/knowledge/search',
      id: 'searchKnowledgeForPrompt',
      summary: 'Search knowledge notes by prompt, with the notes left out',
      description:
        'The same search with the prompt in the body, so that it can be as long as the prompt of a session. Also ' +
        'returns the notes that the session would not be given, each with the reason. Changes nothing.',
      scope: 'knowledge:read',
      body: SearchKnowledge,
      examples: examples.searchKnowledgeForPrompt,
      status: 200,
      answer: KnowledgeForPrompt,
      handle: ({ caller, body }) => explainForSession(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/knowledge/suggestions',
      id: 'listKnowledgeSuggestions',
      summary: 'List knowledge suggestions',
      description: 'Newest first. The setting `knowledge.auto_suggest` turns suggestions off.',
      scope: 'knowledge:read',
      query: SuggestionQuery,
      status: 200,
      answer: SuggestionList,
      handle: ({ caller, query }) => listSuggestions(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/knowledge/suggestions/:id/accept',
      id: 'acceptKnowledgeSuggestion',
      summary: 'Accept a knowledge suggestion',
      description:
        'Creates a note and returns it. Fields in the body replace the suggested ones; without a scope the note ' +
        "applies to the session's repository. 409 `conflict` if the suggestion was already accepted or " +
        'dismissed.',
      scope: 'memory:write',
      params: { id: Id },
      body: AcceptSuggestion,
      examples: examples.acceptSuggestion,
      status: 200,
      answer: KnowledgeNote,
      handle: ({ caller, params, body }) => acceptSuggestion(ctx, caller, params.id, body),
    }),
    route({
      method: 'POST',
      path: '/knowledge/suggestions/:id/dismiss',
      id: 'dismissKnowledgeSuggestion',
      summary: 'Dismiss a knowledge suggestion',
      description: 'An equal one is not suggested again. 409 `conflict` if it was already accepted or dismissed.',
      scope: 'memory:write',
      params: { id: Id },
      status: 200,
      answer: KnowledgeSuggestion,
      handle: ({ caller, params }) => dismissSuggestion(ctx, caller, params.id),
    }),
  ];
}

export function transferRoutes(ctx: KnowledgeContext): Route[] {
  const { uploads: maxFiles, uploadBytes: maxBytes } = importLimits;
  return [
    route({
      method: 'GET',
      path: '/knowledge/export',
      id: 'exportKnowledge',
      summary: 'Export knowledge notes',
      description:
        'Returns a zip of Markdown files with the notes that you can see and that match the filters. Each file has ' +
        "the note's fields as front matter in YAML, followed by the body; an import restores the same notes.",
      scope: 'knowledge:read',
      query: ExportKnowledgeQuery,
      status: 200,
      answer: Bytes,
      answerType: 'application/zip',
      sends: ['content-disposition'],
      handle: async ({ caller, query, reply }) =>
        reply
          .type('application/zip')
          .header('content-disposition', 'attachment; filename="knowledge.zip"')
          .send(await exportNotes(ctx, caller, query)),
    }),
    route({
      method: 'POST',
      path: '/knowledge/import',
      id: 'importKnowledge',
      summary: 'Import knowledge notes',
      description:
        'Takes `multipart/form-data` with fields `file`, each a Markdown file or a zip of them: at most 32 ' +
        'MiB, 10,000 files, and 64 MiB unpacked. A file has front matter in YAML with `name` and `trigger`, ' +
        'and optionally `scope`, `repo_filter`, `enabled` and `note_id`. It updates the note with that id, ' +
        'or else with that name and scope, or creates one. Invalid files are reported and do not affect the ' +
        'others.',
      scope: 'memory:write',
      multipart: { maxBytes, maxFiles },
      examples: examples.importKnowledge,
      status: 200,
      answer: KnowledgeImport,
      handle: async ({ caller, request, reply }) => {
        const files = await filesOf(request);
        const fingerprint = await fingerprintOf(files);
        const repeats = () => request.beginIdempotent(reply, fingerprint);
        return (await importNotes(ctx, caller, files, repeats)) ?? reply;
      },
    }),
  ];
}
