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
import { resolveSkills } from './resolve-service.ts';
import {
  CreateSkill,
  ImportSkill,
  maxBundleBytes,
  path,
  PutSkillFile,
  ResolveQuery,
  Skill,
  SkillDetail,
  SkillFile,
  SkillQuery,
  SkillResolution,
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
  'A skill is a directory with a SKILL.md in the open format (https://agentskills.io/specification): at most 100 files, 256 KiB a file and 1 MiB in all, no path outside of it and no links. Send the files as JSON, or a zip archive as `application/zip` or as the field `file` of a form; one directory that holds everything in the archive is left away.';

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
        'With `repo` those that are meant for the repository, and those that a repository of the built-in git host holds itself, at `.agents/skills/*/SKILL.md` or `.claude/skills/*/SKILL.md` of its default branch: their `source` is `repository`, and they are changed by commits alone (409 `conflict` here).',
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
      description: `${rules} Its name and description are those in SKILL.md; 409 \`conflict\` where the name is taken.`,
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
      description: `${rules} Whatever is wrong with them is the answer, not an error.`,
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
        'Where it came from is in `metadata.import`. Importing from the same `url` and `path` again makes a new revision of the skill.',
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
        'Those it would get first, of these the ones that the prompt seems to ask for first; then the others, each with what stands in the way.',
      scope: 'plugins:read',
      query: ResolveQuery,
      status: 200,
      answer: SkillResolution,
      handle: ({ caller, query }) => resolveSkills(ctx, caller, query),
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
        "At its newest revision; the content of a file is at `/files/{path}`. A repository's own skill is as its default branch has it now.",
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
      description: `With files, or an archive, all of its files are replaced by a new revision; sessions that began with another one keep that. ${rules}`,
      scope: 'plugins:write',
      params,
      revised: true,
      body: UpdateSkill,
      examples: examples.updateSkill,
      ...bundle,
      status: 200,
      answer: SkillDetail,
      handle: async ({ caller, params: { id }, body, request }) =>
        updateSkill(ctx, caller, id, await receiveBundle(request, body), request.headers['if-match']),
    }),
    route({
      method: 'DELETE',
      path: '/skills/:id',
      id: 'deleteSkill',
      summary: 'Delete a skill',
      description: 'Sessions that began with it keep it for 30 days.',
      scope: 'plugins:write',
      params,
      revised: true,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params: { id }, request }) => deleteSkill(ctx, caller, id, request.headers['if-match']),
    }),
    route({
      method: 'GET',
      path: '/skills/:id/revisions',
      id: 'listSkillRevisions',
      summary: "List a skill's revisions",
      description: "With the list of files of each. A repository's own skill has none: its commits tell.",
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
      description: 'The path may hold `/` as it is. 404 `not_found` for one that the skill does not have.',
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
      description: 'Makes a new revision, unless the file is there like this already.',
      scope: 'plugins:write',
      params: fileParams,
      revised: true,
      body: PutSkillFile,
      examples: examples.putSkillFile,
      bodyLimit: maxBundleBytes,
      status: 200,
      answer: SkillDetail,
      handle: ({ caller, params: { id, '*': file }, body, request }) =>
        putSkillFile(ctx, caller, { id, path: file }, body, request.headers['if-match']),
    }),
  ];
}
