import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { notFound } from '../../lib/errors.ts';
import { mayRunFor, type Writer } from '../../lib/writer.ts';
import { repositoryById } from '../repositories/service.ts';
import type { NamedRepository } from '../../lib/providers.ts';
import type { BundleFile } from './bundle.ts';
import { resolve, type Candidate, type Resolved } from './resolve.ts';
import { repositoryIdOf } from './repository-skills.ts';
import { bundleAt, maxSkills } from './revisions.ts';
import {
  existingSkills,
  listSkillRows,
  readEntries,
  readSkill,
  readWriter,
  removeDeleted,
  sharedWords,
  skillsQuery,
} from './store.ts';

/** A skill stored in one of the session's repositories. */
export type OwnCandidate = Pick<Candidate, 'id' | 'name' | 'description' | 'digest'>;

/** The facts about a session that decide its skills. */
export interface SkillQuestion {
  orgId: string;
  prompt: string;
  repositories: readonly NamedRepository[];
  /** Ids of the chosen skills; null for all that apply. */
  ids: readonly string[] | null;
  /** Skills stored in the session's repositories. */
  own: readonly OwnCandidate[];
}

/** Maximum length of the prompt that is matched, in characters; no task is longer. */
const maxPromptLength = 50_000;

/**
 * Returns every skill of a session's organization and repositories, each with a reason: first those that the session gets, the
 * ones that match its prompt before the others.
 */
export async function skillsForSession(ctx: Pick<Context, 'db'>, question: SkillQuestion): Promise<Resolved[]> {
  const { orgId, prompt, repositories, ids, own } = question;
  const rows = await listSkillRows(skillsQuery(ctx.db.kysely, orgId), undefined, maxSkills);
  const traits = { source: 'repository' as const, revision: 0, enabled: true, assignments: [] };
  const candidates = [...own.map((skill): Candidate => ({ ...skill, ...traits })), ...rows];
  const words = await sharedWords(
    ctx.db.kysely,
    prompt.slice(0, maxPromptLength),
    candidates.flatMap(({ name, description }) => [
      name.replaceAll('-', ' '),
      `${name.replaceAll('-', ' ')} ${description}`,
    ]),
  );
  return resolve(candidates, { repositories, ids, prompt, words });
}

/** Returns a revision's files and its author, also of a deleted skill; undefined once it is purged. */
export async function skillBundle(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  { id, revision }: { id: string; revision: number },
): ReturnType<typeof bundleAt> {
  return bundleAt(ctx.db.kysely, orgId, id, revision);
}

/**
 * Tells if a skill contains more than text, such as a script, and its author is neither `owner` (`<type>:<id>`) nor an
 * administrator.
 */
export function bringsProgramsOfOthers(
  { files, writer }: { readonly files: readonly Pick<BundleFile, 'path' | 'executable'>[]; readonly writer: Writer },
  owner: string,
): boolean {
  const isText = ({ path, executable }: Pick<BundleFile, 'path' | 'executable'>): boolean =>
    !executable && /\.(?:md|txt)$|(?:^|\/)LICEN[CS]E$/i.test(path);
  return !files.every(isText) && !mayRunFor(writer, owner);
}

/** Returns the current names of the skills for which {@link bringsProgramsOfOthers} holds. */
export async function skillsOfOthers(
  { db }: Pick<Context, 'db'>,
  orgId: string,
  ids: readonly string[],
  owner: string,
): Promise<string[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const skill = await readSkill(db.kysely, orgId, id);
      if (skill === undefined) return [];
      const files = await readEntries(db.kysely, orgId, id, skill.revision);
      const writer = (await readWriter(db.kysely, orgId, id, skill.revision)) ?? '';
      return bringsProgramsOfOthers({ files, writer }, owner) ? [skill.name] : [];
    }),
  );
  return found.flat();
}

/** Throws 404 `skill_not_found` for the first id that belongs neither to the organization nor to one of its repositories. */
export async function requireSkills(ctx: Pick<Context, 'db'>, caller: Actor, ids: readonly string[]): Promise<void> {
  const orgId = caller.organization.id;
  const there = await existingSkills(ctx.db.kysely, orgId, ids);
  for (const id of ids) {
    if (there.has(id)) continue;
    const repositoryId = repositoryIdOf(id);
    const repository = repositoryId === undefined ? undefined : await repositoryById(ctx, orgId, repositoryId);
    if (repository === undefined) throw notFound('skill', id);
  }
}

/** Returns an organization's enabled skills by name, as a blueprint lists them. */
export async function enabledSkills(ctx: Pick<Context, 'db'>, orgId: string) {
  const rows = await listSkillRows(skillsQuery(ctx.db.kysely, orgId, { enabled: true }), undefined, maxSkills);
  return rows
    .map(({ id, name, revision, digest }) => ({ id, name, revision, digest }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The time for which sessions that already use a deleted skill can read its content. */
const keptMs = 30 * 24 * 3_600_000;

/** Purges skills that were deleted more than 30 days ago. */
export async function purgeDeletedSkills(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await removeDeleted(ctx.db.kysely, new Date(ctx.clock.now().getTime() - keptMs));
}
