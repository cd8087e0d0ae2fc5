import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  named,
  OneOf,
  Principal,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { limits, maxPathLength } from './bundle.ts';
import { prefixesText, providerPrefix } from '../../lib/providers.ts';

export const sources = ['managed', 'repository', 'imported'] as const;
const scopes = ['organization', 'repository'] as const;
const encodings = ['utf8', 'base64'] as const;

/** Maximum size of a request with a bundle, in bytes. */
export const maxBundleBytes = 2_097_152;

const Assignment = Type.Object({
  scope: OneOf(scopes),
  repo: Type.String({ description: '"" for the scope `organization`.' }),
});

const Origin = {
  ref: Type.String(),
  path: Type.String(),
  commit: Type.String(),
};
/** SKILL.md may have texts under these two names itself. */
const metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  properties: {
    import: { ...Type.Object({ url: Type.String(), ...Origin }), type: ['object', 'string'] },
    repository: {
      ...Type.Object({ provider: Type.String(), repo: Type.String(), ...Origin }),
      type: ['object', 'string'],
    },
  },
  additionalProperties: { type: 'string' },
});

const skill = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  source: OneOf(sources, {
    description: '`managed` here, `imported` from a git repository, or stored in a `repository` and read-only here.',
  }),
  revision: Type.Integer({ minimum: 0, description: "0 for a repository's own skill, which has commits instead." }),
  digest: Type.String({
    description:
      '`sha256:` and the SHA-256 of the output of `find * -type f | LC_ALL=C sort | xargs sha256sum` in the ' +
      "skill's directory: for each file a line with its SHA-256, two spaces and its path.",
  }),
  enabled: Type.Boolean(),
  assignments: Type.Array(Assignment, { description: 'The sessions that get it; [] is the whole organization.' }),
  license: Type.String(),
  metadata,
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

export const SkillDetail = record('SkillDetail', Type.Object({ ...skill, files: Type.Array(FileEntry) }), '/revision');

export const SkillRevision = named(
  'SkillRevision',
  Type.Object({
    revision: Type.Integer({ minimum: 1 }),
    digest: Type.String(),
    name: Type.String(),
    description: Type.String(),
    license: Type.String(),
    metadata,
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
    encoding: OneOf(encodings, { description: '`utf8` if the content is text in UTF-8, else `base64`.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    executable: Type.Boolean(),
    revision: Type.Integer({ minimum: 0, description: "The skill's revision." }),
  }),
);

export const path = Text(1_000, {
  description: `At most ${maxPathLength} characters; segments are separated by \`/\`.`,
});
const file = {
  content: Text(Math.ceil(limits.fileBytes / 3) * 4 + 4, { description: 'At most 256 KiB.' }),
  encoding: Type.Optional(OneOf(encodings, { description: 'Encoding of `content`.' })),
  executable: Type.Optional(Type.Boolean()),
};
const files = Type.Array(Type.Object({ path, ...file }, { additionalProperties: false }), {
  minItems: 1,
  maxItems: limits.files,
});

/** A part of a repository's name. One alone, without an owner, would match no repository, except if it has an asterisk. */
const part = String.raw`\.?[A-Za-z0-9_*][A-Za-z0-9._*-]*`;
const partWithStar = String.raw`\.?(?:[A-Za-z0-9_][A-Za-z0-9._-]*)?\*[A-Za-z0-9._*-]*`;

const assignments = Type.Array(
  Type.Object(
    {
      scope: OneOf(scopes),
      repo: Type.Optional(
        Text(220, {
          pattern: `^$|^(?:${providerPrefix})?(?:${part}(?:/${part})+|${partWithStar})$`,
          'x-form': `owner/name or owner/*, optionally with the prefix ${prefixesText()}`,
          description:
            `\`owner/name\` or \`owner/*\`, optionally with the prefix ${prefixesText('`')}; required for the scope ` +
            '`repository`, omit it for others.',
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
      'URL of the git repository; http or https. A `clone_url` of this installation is read with your own ' +
      'permission, so it needs no credentials (scope `repos:read`).',
  }),
  ref: Type.Optional(Text(240, { description: 'A branch, a tag or a commit; "" is the default branch.' })),
  path: Type.Optional(Text(1_000, { description: 'The skill\'s directory in the repository; "" is its root.' })),
  ...settings,
});
export type CreateSkill = Static<typeof CreateSkill>;
export type UpdateSkill = Static<typeof UpdateSkill>;
export type PutSkillFile = Static<typeof PutSkillFile>;
export type ImportSkill = Static<typeof ImportSkill>;

const BundleIssue = Type.Object({
  file: Type.String({ description: 'Path of the file; "" for the skill as a whole.' }),
  line: Type.Integer({ minimum: 0, description: 'Counted from 1; 0 if the issue has no line.' }),
  message: Type.String(),
});

export const SkillValidation = named(
  'SkillValidation',
  Type.Object({
    valid: Type.Boolean(),
    issues: Type.Array(BundleIssue),
    warnings: Type.Array(BundleIssue, { description: 'Allowed, but unusual.' }),
    name: Type.String(),
    description: Type.String(),
    license: Type.String(),
    compatibility: Type.String(),
    allowed_tools: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    digest: Type.String(),
    file_count: Type.Integer({ minimum: 0 }),
    size_bytes: Type.Integer({ minimum: 0 }),
  }),
);

export const repoFilter = Text(2_000, {
  description: `\`owner/name\`, optionally with the prefix ${prefixesText('`')}; up to 20, separated by commas.`,
});

export const SkillQuery = ListQuery({
  search: Type.Optional(Text(200, { minLength: 1, description: 'Text to find in name and description.' })),
  source: Type.Optional(Text(100, { description: sources.join(', ') })),
  enabled: Type.Optional(Text(20, { description: 'true, false, or both separated by a comma.' })),
  repo: Type.Optional(repoFilter),
});
export type SkillQuery = Static<typeof SkillQuery>;

explain(['Skill', 'SkillDetail'], {
  'assignments.scope': '`organization`, or the `repository` that `repo` names.',
});
explain(['SkillDetail', 'SkillRevision'], {
  files: 'Files without their content.',
  'files.path': "Relative to the skill's directory.",
});
explain('SkillRevision', {
  revision: 'Number of the revision, from 1.',
  digest: "Digest of the directory, like the skill's.",
});
explain('SkillFile', {
  path: "Relative to the skill's directory.",
  content: 'The content, in `encoding`.',
});
explain('SkillResolution', {
  items: 'All skills.',
  'items.source': '`managed` here, `imported` from a git repository, or stored in a `repository`.',
  'items.revision': "The revision that the session would get; 0 for a repository's own skill.",
  'items.digest': "Digest of the directory, like the skill's.",
});
explain('SkillValidation', {
  valid: 'True if it could be created.',
  issues: 'What prevents its creation.',
  'issues.message': 'What is wrong and how to fix it.',
  'warnings.message': 'What is unusual.',
  compatibility: 'The requirements that SKILL.md declares; "" for none.',
  allowed_tools: 'The tools that SKILL.md allows; `[]` if it declares none.',
  metadata: 'The `metadata` of SKILL.md.',
  digest: "Digest of the directory, like the skill's.",
});
explain(['Skill', 'SkillDetail', 'SkillRevision'], {
  metadata: 'The `metadata` of SKILL.md, and the origin of a skill that was not written here.',
  'metadata.import': 'The origin of an imported skill.',
  'metadata.import.url': 'The git repository.',
  'metadata.import.ref': 'The branch, tag or commit that was asked for; "" for the default branch.',
  'metadata.import.path': 'The directory in the repository; "" for its root.',
  'metadata.repository': "The origin of a repository's own skill.",
  'metadata.repository.ref': 'The branch that was read.',
  'metadata.repository.path': 'The directory in the repository.',
});
explain(['CreateSkillRequest', 'ValidateSkillRequest'], {
  files: 'All files, including SKILL.md.',
});
explain('UpdateSkillRequest', {
  files: 'All files, including SKILL.md; they replace the current ones. Omit to keep those.',
});
explain(['CreateSkillRequest', 'ImportSkillRequest', 'UpdateSkillRequest', 'ValidateSkillRequest'], {
  'assignments.scope': '`organization`: every session. `repository`: those on the repositories that `repo` names.',
  assignments: 'The sessions that get it; `[]` is the whole organization.',
});
explain(['CreateSkillRequest', 'ImportSkillRequest'], { enabled: 'True if sessions get it.' });

explain(['CreateSkillRequest', 'UpdateSkillRequest', 'ValidateSkillRequest'], {
  'files.executable': 'True if the file is executable.',
});
explain('PutSkillFileRequest', {
  executable: 'True if the file is executable. By default the current value, or false for a new file.',
});
explain('ValidateSkillRequest', {
  assignments: 'Ignored here, so omit it at will; accepted so that the same body can be sent.',
  enabled: 'Ignored here, so omit it at will; accepted so that the same body can be sent.',
});
defaults(['CreateSkillRequest', 'ImportSkillRequest'], { enabled: true, assignments: [] });
defaults('ImportSkillRequest', { ref: '', path: '' });
defaults(['CreateSkillRequest', 'UpdateSkillRequest', 'ValidateSkillRequest'], {
  'files.encoding': 'utf8',
  'files.executable': false,
});
defaults('PutSkillFileRequest', { encoding: 'utf8' });
