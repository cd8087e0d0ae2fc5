import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  explain,
  Id,
  ListQuery,
  named,
  OneOf,
  Principal,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { limits, maxPathLength } from './bundle.ts';
import { prefixesText, providerPrefix } from '../../lib/providers.ts';

export const sources = ['managed', 'repository', 'imported'] as const;
const scopes = ['organization', 'repository'] as const;
const encodings = ['utf8', 'base64'] as const;

/** The most bytes of a request with a bundle. */
export const maxBundleBytes = 2_097_152;

const Assignment = Type.Object({
  scope: OneOf(scopes),
  repo: Type.String({ description: '"" where the scope is `organization`.' }),
});

const skill = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  source: OneOf(sources, {
    description: '`managed` here, `imported` from a git repository, or in the `repository` itself and read-only here.',
  }),
  revision: Type.Integer({ minimum: 0, description: '0 for a skill of a repository, which has its commits instead.' }),
  digest: Type.String({
    description:
      '`sha256:` and the SHA-256 of what `find * -type f | LC_ALL=C sort | xargs sha256sum` prints in the directory of the skill: a line with the SHA-256, two spaces and the path for each file.',
  }),
  enabled: Type.Boolean(),
  assignments: Type.Array(Assignment, { description: 'Whose sessions get it; [] is the whole organization.' }),
  license: Type.String(),
  metadata: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      "The `metadata` of SKILL.md; beside it `import {url, ref, path, commit}` of an imported skill, and `repository {provider, repo, ref, path, commit}` of a repository's own.",
  }),
  file_count: Type.Integer({ minimum: 0 }),
  size_bytes: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Skill = named('Skill', Type.Object(skill));

const FileEntry = Type.Object({
  path: Type.String(),
  size_bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ description: '64 hexadecimal digits.' }),
  executable: Type.Boolean(),
});
export type FileEntry = Static<typeof FileEntry>;

export const SkillDetail = named('SkillDetail', Type.Object({ ...skill, files: Type.Array(FileEntry) }));

export const SkillRevision = named(
  'SkillRevision',
  Type.Object({
    revision: Type.Integer({ minimum: 1 }),
    digest: Type.String(),
    name: Type.String(),
    description: Type.String(),
    license: Type.String(),
    metadata: AnyObject,
    file_count: Type.Integer({ minimum: 0 }),
    size_bytes: Type.Integer({ minimum: 0 }),
    files: Type.Array(FileEntry),
    created_by: Principal,
    created_at: Timestamp,
  }),
);

export const SkillFile = named(
  'SkillFile',
  Type.Object({
    path: Type.String(),
    content: Type.String(),
    encoding: OneOf(encodings, { description: '`utf8` where the content is text in UTF-8, else `base64`.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    executable: Type.Boolean(),
    revision: Type.Integer({ minimum: 0, description: "The skill's." }),
  }),
);

export const path = Text(1_000, { description: `At most ${maxPathLength} characters, with \`/\` between its parts.` });
const file = {
  content: Text(Math.ceil(limits.fileBytes / 3) * 4 + 4, { description: 'At most 256 KiB.' }),
  encoding: Type.Optional(OneOf(encodings, { description: 'Of `content`; `utf8` unless told.' })),
  executable: Type.Optional(Type.Boolean()),
};
const files = Type.Array(Type.Object({ path, ...file }, { additionalProperties: false }), {
  minItems: 1,
  maxItems: limits.files,
});

const assignments = Type.Array(
  Type.Object(
    {
      scope: OneOf(scopes),
      repo: Type.Optional(
        Text(220, {
          pattern: `^$|^(?:${providerPrefix})?[A-Za-z0-9_*][A-Za-z0-9._*-]*(?:/[A-Za-z0-9_*][A-Za-z0-9._*-]*)*$`,
          'x-form': `owner/name or owner/*, where need be with ${prefixesText()} in front`,
          description: `\`owner/name\` or \`owner/*\`, perhaps with ${prefixesText('`')} in front; required for the scope \`repository\`, and for no other.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
);

const settings = { enabled: Type.Optional(Type.Boolean()), assignments: Type.Optional(assignments) };

export const CreateSkill = Body({ files, ...settings });
export const UpdateSkill = Body({ files: Type.Optional(files), ...settings });
export const ValidateSkill = Body({ files, ...settings });
export const PutSkillFile = Body(file);
export const ImportSkill = Body({
  url: Text(2_000, {
    minLength: 1,
    description:
      'Of the git repository; http or https. A `clone_url` of this installation is read by your own right, so it needs no credentials (scope `repos:read`).',
  }),
  ref: Type.Optional(Text(240, { description: 'A branch, a tag or a commit; "" is the default branch.' })),
  path: Type.Optional(Text(1_000, { description: 'The directory of the skill in it; "" is its top.' })),
  ...settings,
});
export type CreateSkill = Static<typeof CreateSkill>;
export type UpdateSkill = Static<typeof UpdateSkill>;
export type PutSkillFile = Static<typeof PutSkillFile>;
export type ImportSkill = Static<typeof ImportSkill>;

const Problem = Type.Object({
  path: Type.String({ description: 'Of the file; "" for the skill as a whole.' }),
  line: Type.Integer({ minimum: 0, description: 'Counted from 1; 0 where no line is meant.' }),
  message: Type.String(),
});

export const SkillValidation = named(
  'SkillValidation',
  Type.Object({
    valid: Type.Boolean(),
    problems: Type.Array(Problem),
    warnings: Type.Array(Problem, { description: 'What is unusual and yet allowed.' }),
    name: Type.String(),
    description: Type.String(),
    license: Type.String(),
    compatibility: Type.String(),
    allowed_tools: Type.Array(Type.String()),
    metadata: AnyObject,
    digest: Type.String(),
    file_count: Type.Integer({ minimum: 0 }),
    size_bytes: Type.Integer({ minimum: 0 }),
  }),
);

const repoFilter = Text(2_000, {
  description: `\`owner/name\`, perhaps with ${prefixesText('`')} in front; up to 20 with commas between.`,
});

export const SkillQuery = ListQuery({
  search: Type.Optional(Text(200, { description: 'In name and description.' })),
  source: Type.Optional(Text(100, { description: sources.join(', ') })),
  enabled: Type.Optional(Text(20, { description: 'true, false, or both separated by a comma.' })),
  repo: Type.Optional(repoFilter),
});
export type SkillQuery = Static<typeof SkillQuery>;

export const ResolveQuery = Type.Object(
  { repo: Type.Optional(repoFilter), prompt: Type.Optional(Text(20_000)) },
  { additionalProperties: false },
);
export type ResolveQuery = Static<typeof ResolveQuery>;

export const SkillResolution = named(
  'SkillResolution',
  Type.Object({
    items: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        description: Type.String(),
        source: OneOf(sources),
        revision: Type.Integer({ minimum: 0 }),
        digest: Type.String(),
        given: Type.Boolean({ description: 'Whether a session would get it.' }),
        relevant: Type.Boolean({ description: 'Whether the prompt seems to ask for it.' }),
        reason: Type.String({ description: 'Why, or why not.' }),
      }),
    ),
  }),
);

explain(['Skill', 'SkillDetail'], {
  'assignments.scope': '`organization`, or the `repository` that `repo` names.',
});
explain(['SkillDetail', 'SkillRevision'], {
  files: 'Its files, without their content.',
  'files.path': 'From the directory of the skill.',
});
explain('SkillRevision', {
  metadata: 'The `metadata` of SKILL.md.',
  revision: 'Which revision, from 1.',
  digest: "Of the directory, as the skill's.",
});
explain('SkillFile', {
  path: 'From the directory of the skill.',
  content: 'What is in it, in `encoding`.',
});
explain('SkillResolution', {
  items: 'All skills.',
  'items.source': '`managed` here, `imported` from a git repository, or in the `repository` itself.',
  'items.revision': 'The revision it would get; 0 for a skill of a repository.',
  'items.digest': "Of the directory, as the skill's.",
});
explain('SkillValidation', {
  valid: 'Whether it could be created.',
  problems: 'What keeps it from that.',
  'problems.message': 'What is wrong, in words.',
  'warnings.message': 'What is unusual, in words.',
  compatibility: 'What SKILL.md says it needs; "" for nothing.',
  allowed_tools: 'The tools that SKILL.md allows it; `[]` where it says nothing.',
  metadata: 'The `metadata` of SKILL.md.',
  digest: "Of the directory, as the skill's.",
});
explain(['CreateSkillRequest', 'ValidateSkillRequest'], {
  files: 'All of its files, SKILL.md among them.',
});
explain('UpdateSkillRequest', {
  files: 'All of its files, SKILL.md among them, in place of those there are; they stay unless given.',
});
explain(['CreateSkillRequest', 'ImportSkillRequest', 'UpdateSkillRequest', 'ValidateSkillRequest'], {
  'assignments.scope': '`organization`: every session. `repository`: those on the repositories that `repo` names.',
  assignments: 'Whose sessions get it; `[]` is the whole organization.',
});
explain(['CreateSkillRequest', 'ImportSkillRequest'], { enabled: 'Whether sessions get it; true unless given.' });

explain(['CreateSkillRequest', 'UpdateSkillRequest', 'ValidateSkillRequest'], {
  'files.executable': 'Whether the file may be run; false unless given.',
});
explain('PutSkillFileRequest', {
  executable: 'Whether the file may be run; as it was, or false for a new one, unless given.',
});
explain('ValidateSkillRequest', {
  assignments: 'Means nothing here; it is taken so that the same body can be sent.',
  enabled: 'Means nothing here; it is taken so that the same body can be sent.',
});
