import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { integerIn } from '../../lib/cursor.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { filterValues, flagValue } from '../../lib/filters.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { assignmentsOf, knownRepositories, reasonOf, repositoriesIn } from './assignments.ts';
import { decode, requireFiles, type Received } from './bundle-input.ts';
import { ownSkill, skillsOfRepositories } from './own-service.ts';
import { repositoryIdOf } from './repository-skills.ts';
import { addSkill, changeSkill, detailOf, filesAt, maxSkills, requireDetail, revise } from './revisions.ts';
import { sources, type PutSkillFile, type SkillQuery } from './schemas.ts';
import type { Manifest } from './skill-file.ts';
import {
  listRevisionRows,
  listSkillRows,
  lockSkill,
  lockSkills,
  readEntries,
  readPart,
  readSkill,
  skillsQuery,
  updateSkillRow,
  type SkillRow,
} from './store.ts';
import { refuseFile, requireValid } from './validation.ts';

export type SkillContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'log'>;

export async function listSkills(ctx: SkillContext, caller: Actor, query: SkillQuery) {
  const orgId = caller.organization.id;
  const wanted = filterValues('source', query.source, sources);
  const stored = wanted.filter((source) => source !== 'repository');
  const filter = {
    search: query.search,
    enabled: flagValue('enabled', query.enabled),
    sources: wanted.length === 0 ? undefined : stored,
  };
  const rows = skillsQuery(ctx.db.kysely, orgId, filter);
  const repositories = repositoriesIn(query.repo);
  if (repositories.length > 0) return listForRepositories();
  return paginate({
    list: 'skills',
    filters: { ...filter, orgId },
    query,
    rows: (after, limit) => listSkillRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });

  /** The repositories' own skills are added to the applicable ones: few enough to sort in memory. */
  async function listForRepositories() {
    const own = await skillsOfRepositories(ctx, orgId, repositories);
    const connected = own.map(({ repository }) => repository);
    const known = knownRepositories(repositories, connected);
    const meant = (await listSkillRows(rows, undefined, maxSkills)).filter(
      ({ assignments }) => reasonOf(assignments, known) !== undefined,
    );
    const text = (query.search ?? '').toLowerCase();
    const isWanted = filter.enabled !== false && (wanted.length === 0 || wanted.includes('repository'));
    const found = own
      .flatMap(({ skills }) => (isWanted ? skills : []))
      .filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(text));
    const all = [...meant, ...found].toSorted((one, other) => (one.id < other.id ? 1 : -1));
    return paginate({
      list: 'skills',
      filters: { ...filter, orgId, repo: query.repo },
      query,
      rows: async (after, limit) => all.filter(({ id }) => after === undefined || id < after).slice(0, limit),
      total: async () => all.length,
    });
  }
}

export async function getSkill(ctx: SkillContext, caller: Actor, id: string) {
  const orgId = caller.organization.id;
  const row = await readSkill(ctx.db.kysely, orgId, id);
  if (row !== undefined) return detailOf(ctx.db.kysely, orgId, row);
  const own = await ownSkill(ctx, orgId, id);
  if (own === undefined) throw notFound('skill', id);
  return own.shape;
}

/** Throws 400 for a bundle with issues, 409 `conflict` for a name that is taken. */
export async function createSkill(ctx: SkillContext, caller: Caller, received: Received) {
  const orgId = caller.organization.id;
  const files = requireFiles(received);
  const manifest = await requireValid(files, received.issues, received.place);
  const assignments = assignmentsOf(received.assignments);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSkills(trx, orgId);
    const record = { files, manifest, metadata: manifest.metadata, whole: true, source: 'managed' as const };
    return addSkill(ctx, trx, { caller, audit }, { ...record, enabled: received.enabled ?? true, assignments });
  });
}

/** Changes settings; with files it creates a new revision. Throws 404, 409, 412. */
export async function updateSkill(ctx: SkillContext, caller: Caller, id: string, received: Received) {
  const orgId = caller.organization.id;
  const { files, enabled, issues, place } = received;
  const manifest = files === undefined ? undefined : await requireValid(files, issues, place);
  const assignments = received.assignments === undefined ? undefined : assignmentsOf(received.assignments);
  await refuseOwn(ctx, caller, id);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockForChange(trx, caller, id);
    const next =
      files === undefined || manifest === undefined
        ? undefined
        : { files, manifest, metadata: metadataOf(before, manifest), whole: true };
    await changeSkill(ctx, trx, { caller, audit }, before, { settings: { enabled, assignments }, next });
    return requireDetail(trx, orgId, id);
  });
}

/** Stores one file of a skill in a new revision, unless it is unchanged. Throws 400, 404, 409, 412. */
export async function putSkillFile(
  ctx: SkillContext,
  caller: Caller,
  { id, path }: { id: string; path: string },
  input: PutSkillFile,
) {
  const orgId = caller.organization.id;
  const content = decode(input);
  if (content === undefined) throw fieldError('/content', 'must be valid base64.');
  refuseFile({ path, content, executable: false });
  await refuseOwn(ctx, caller, id);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockForChange(trx, caller, id);
    const bundle = (await filesAt(trx, orgId, id, before.revision)) ?? [];
    const there = bundle.find((file) => file.path === path);
    const executable = input.executable ?? there?.executable ?? false;
    const files = [...bundle.filter((file) => file !== there), { path, content, executable }];
    const manifest = await requireValid(files, [], '');
    await revise(ctx, trx, { caller, audit }, before, {
      files,
      manifest,
      metadata: metadataOf(before, manifest),
      whole: false,
    });
    return requireDetail(trx, orgId, id);
  });
}

/** Deletes a skill; sessions that use it keep it. Throws 404 `skill_not_found`, 412. */
export async function deleteSkill(ctx: SkillContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  await refuseOwn(ctx, caller, id);
  return mutate(ctx, caller, async (trx, audit) => {
    const { name } = await lockForChange(trx, caller, id);
    await updateSkillRow(trx, orgId, id, { deleted_at: ctx.clock.now() });
    audit({ action: 'skill.delete', resource: { type: 'skill', id }, changes: { name } });
    return null;
  });
}

export async function listSkillRevisions(ctx: SkillContext, caller: Actor, id: string, query: PageQuery) {
  const orgId = caller.organization.id;
  const skill = await readSkill(ctx.db.kysely, orgId, id);
  if (skill === undefined && (await ownSkill(ctx, orgId, id)) === undefined) throw notFound('skill', id);
  return paginate({
    list: 'skill_revisions',
    filters: { id, orgId },
    query,
    rows: async (after, limit) => {
      const range = { after: integerIn(after), limit };
      const rows = await listRevisionRows(ctx.db.kysely, orgId, id, range);
      return rows.map((row) => ({
        ...row,
        id: String(row.revision),
        file_count: row.files.length,
        size_bytes: row.files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      }));
    },
    // Revisions are numbered from 1 without gaps.
    total: async () => skill?.revision ?? 0,
  });
}

/** Returns one file. Throws 404 `skill_not_found`, or `not_found` if the skill has no such file. */
export async function getSkillFile(ctx: SkillContext, caller: Actor, id: string, path: string) {
  const orgId = caller.organization.id;
  const skill = await readSkill(ctx.db.kysely, orgId, id);
  const own = skill === undefined ? await ownSkill(ctx, orgId, id) : undefined;
  const revision = skill?.revision ?? 0;
  if (skill === undefined && own === undefined) throw notFound('skill', id);
  const entries = own?.shape.files ?? (await readEntries(ctx.db.kysely, orgId, id, revision));
  const at = entries.findIndex((entry) => entry.path === path);
  const entry = entries[at];
  if (entry === undefined) throw new AppError('not_found', `${JSON.stringify(path)} does not exist in this skill.`);
  const start = entries.slice(0, at).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const part = { revision, start, length: entry.size_bytes };
  const content = own?.files[at]?.content ?? (await readPart(ctx.db.kysely, orgId, id, part));
  return { ...entry, ...textOf(content), revision };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer) {
  try {
    return { content: utf8.decode(bytes), encoding: 'utf8' as const };
  } catch {
    return { content: bytes.toString('base64'), encoding: 'base64' as const };
  }
}

/** Returns the skill and locks it until the transaction ends. Throws 404 `skill_not_found`, 412. */
async function lockForChange(trx: Transaction<DB>, caller: Caller, id: string): Promise<SkillRow> {
  const row = await lockSkill(trx, caller.organization.id, id);
  if (row === undefined) throw notFound('skill', id);
  await requireMatch(caller, () => row);
  return row;
}

/** Throws 409 `conflict` for a skill stored in a repository. */
async function refuseOwn(ctx: SkillContext, caller: Actor, id: string): Promise<void> {
  if (repositoryIdOf(id) === undefined) return;
  const own = await ownSkill(ctx, caller.organization.id, id);
  if (own === undefined) throw notFound('skill', id);
  const { repo, path } = own.shape.metadata.repository;
  throw new AppError(
    'conflict',
    `This skill is stored in the repository ${repo} at ${path}. Change it there with a commit.`,
  );
}

/** Keeps the origin of an imported skill when it is changed here. */
function metadataOf(before: SkillRow, manifest: Manifest): Record<string, unknown> {
  const { import: origin } = before.metadata;
  return { ...manifest.metadata, ...(before.source === 'imported' ? { import: origin } : {}) };
}
