import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { receiveBundle } from './bundle-input.ts';
import { importSkill } from './import-service.ts';
import {
  createSkill,
  deleteSkill,
  getSkill,
  getSkillFile,
  listSkillRevisions,
  listSkills,
  putSkillFile,
  updateSkill,
} from './service.ts';
import { ResolveQuery, ResolveSkills, SkillResolution, SkillsForPrompt } from './resolve-schemas.ts';
import { resolveSkills, resolveSkillsForPrompt } from './resolve-service.ts';
import {
  CreateSkill,
  ImportSkill,
  maxBundleBytes,
  path,
  PutSkillFile,
  Skill,
  SkillDetail,
  SkillFile,
  SkillQuery,
  SkillRevision,
  SkillValidation,
  UpdateSkill,
  ValidateSkill,
} from './schemas.ts';
import { validateSkill } from './validation.ts';
import * as examples from './examples.ts';

type SkillContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'log' | 'importRemote' | 'closing'>;

const bundle = { archive: { maxBytes: maxBundleBytes }, bodyLimit: maxBundleBytes };
const params = { id: Id };
const fileParams = { id: Id, '*': path };

const rules =
  'A skill is a directory with a SKILL.md in the open format (https://agentskills.io/specification). It can have ' +
  'at most 100 files of 256 KiB each and 1 MiB in total, no paths outside the directory and no links. Send the ' +
  'files as JSON, or a zip archive as `application/zip` or in the form field `file`; a single top-level ' +
  'directory in the archive is stripped.';

export function skillRoutes(ctx: SkillContext & Pick<Context, 'baseUrl'>): Route[] {
  return [...collectionRoutes(ctx), ...skillActionRoutes(ctx), ...singleRoutes(ctx), ...fileRoutes(ctx)];
}

function collectionRoutes(ctx: SkillContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/skills',
      id: 'listSkills',
      summary: 'List skills',
      description:
        'With `repo`, lists the skills that apply to the repository, and those stored in a repository of the ' +
        'built-in git host, at `.agents/skills/*/SKILL.md` or `.claude/skills/*/SKILL.md` of its default ' +
        'branch. The latter have the `source` `repository` and can be changed only by commits (409 ' +
        '`conflict` here).',
      scope: 'plugins:read',
      query: SkillQuery,
      status: 200,
      answer: List(Skill),
      handle: ({ caller, query }) => listSkills(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/skills',
      id: 'createSkill',
      summary: 'Create a skill',
      description: `${rules} SKILL.md gives its name and description; 409 \`conflict\` if the name is taken.`,
      scope: 'plugins:write',
      body: CreateSkill,
      examples: examples.createSkill,
      ...bundle,
      status: 201,
      answer: SkillDetail,
      handle: async ({ caller, body, request, reply }) => {
        const received = await receiveBundle(request, body);
        if (await request.beginIdempotent(reply, received.fingerprint)) return reply;
        return createSkill(ctx, caller, received);
      },
    }),
  ];
}

function skillActionRoutes(ctx: SkillContext & Pick<Context, 'baseUrl'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/skills/validate',
      id: 'validateSkill',
      summary: 'Validate a skill',
      description: `${rules} Problems are returned in the response, not as an error.`,
      scope: 'plugins:write',
      body: ValidateSkill,
      examples: examples.createSkill,
      ...bundle,
      status: 200,
      answer: SkillValidation,
      handle: async ({ body, request, reply }) => {
        const received = await receiveBundle(request, body);
        if (await request.beginIdempotent(reply, received.fingerprint)) return reply;
        return validateSkill(received);
      },
    }),
    route({
      method: 'POST',
      path: '/skills/import',
      id: 'importSkill',
      summary: 'Import a skill from git',
      description:
        'Stores the origin in `metadata.import`. Importing from the same `url` and `path` again creates a ' +
        'new revision of the skill.',
      scope: 'plugins:write',
      body: ImportSkill,
      examples: examples.importSkill,
      status: 201,
      answer: SkillDetail,
      errors: [502],
      handle: ({ caller, body }) => importSkill(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/skills/resolve',
      id: 'resolveSkills',
      summary: "Resolve a session's skills",
      description:
        'Returns the skills that a session would get first, those that match the prompt before the others; then ' +
        'the remaining ones, each with the reason why it is not given.',
      scope: 'plugins:read',
      query: ResolveQuery,
      status: 200,
      answer: SkillResolution,
      handle: ({ caller, query }) => resolveSkills(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/skills/resolve',
      id: 'resolveSkillsForPrompt',
      summary: "Resolve a session's skills by prompt",
      description:
        'The same with the prompt in the body, so that it can be as long as the prompt of a session. The skills that ' +
        'the session would not get are in `not_given`. Changes nothing.',
      scope: 'plugins:read',
      body: ResolveSkills,
      examples: examples.resolveSkillsForPrompt,
      status: 200,
      answer: SkillsForPrompt,
      handle: ({ caller, body }) => resolveSkillsForPrompt(ctx, caller, body),
    }),
  ];
}

function singleRoutes(ctx: SkillContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/skills/:id',
      id: 'getSkill',
      summary: 'Get a skill',
      description:
        'Returns its newest revision with the list of its files; `/files/{path}` has the content of a file. A ' +
        "repository's own skill is returned as of its default branch.",
      scope: 'plugins:read',
      params,
      status: 200,
      answer: SkillDetail,
      handle: (exchange) => getSkill(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'PATCH',
      path: '/skills/:id',
      id: 'updateSkill',
      summary: 'Update a skill',
      description:
        'Files or an archive replace all files of the skill in a new revision; sessions that started with an earlier ' +
        `revision keep it. Without them only the settings change. ${rules}`,
      scope: 'plugins:write',
      params,
      body: UpdateSkill,
      examples: examples.updateSkill,
      ...bundle,
      status: 200,
      answer: SkillDetail,
      handle: async ({ caller, params: { id }, body, request }) =>
        updateSkill(ctx, caller, id, await receiveBundle(request, body)),
    }),
    route({
      method: 'DELETE',
      path: '/skills/:id',
      id: 'deleteSkill',
      summary: 'Delete a skill',
      description: 'Sessions that already use it keep it for 30 days.',
      scope: 'plugins:write',
      params,
      record: SkillDetail,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params: { id } }) => deleteSkill(ctx, caller, id),
    }),
    route({
      method: 'GET',
      path: '/skills/:id/revisions',
      id: 'listSkillRevisions',
      summary: "List a skill's revisions",
      description:
        "Newest first, with the file list of each. A repository's own skill has no revisions: use its commits.",
      scope: 'plugins:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(SkillRevision),
      handle: ({ caller, params: { id }, query }) => listSkillRevisions(ctx, caller, id, query),
    }),
  ];
}

function fileRoutes(ctx: SkillContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/skills/:id/files/*',
      id: 'getSkillFile',
      summary: "Get a skill's file",
      description: 'The path may contain unescaped `/`. 404 `not_found` if the skill has no such file.',
      scope: 'plugins:read',
      params: fileParams,
      status: 200,
      answer: SkillFile,
      handle: ({ caller, params: { id, '*': file } }) => getSkillFile(ctx, caller, id, file),
    }),
    route({
      method: 'PUT',
      path: '/skills/:id/files/*',
      id: 'putSkillFile',
      summary: "Create or replace a skill's file",
      description: 'Creates a new revision, unless the file already has this content.',
      scope: 'plugins:write',
      params: fileParams,
      body: PutSkillFile,
      examples: examples.putSkillFile,
      bodyLimit: maxBundleBytes,
      status: 200,
      answer: SkillDetail,
      handle: ({ caller, params: { id, '*': file }, body }) => putSkillFile(ctx, caller, { id, path: file }, body),
    }),
  ];
}
