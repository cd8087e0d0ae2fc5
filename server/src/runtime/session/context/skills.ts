import { posix } from 'node:path';
import { createCommitCache } from '../../../git/commit-cache.ts';
import { openTree } from '../../../git/tree.ts';
import type { GivenSkill } from '../../../features/sessions/schemas/context-schemas.ts';
import { maxEntries, ownSkillId, ownSkills, skillDirectories } from '../../../features/skills/repository-skills.ts';
import {
  bringsProgramsOfOthers,
  skillBundle,
  skillsForSession,
  type OwnCandidate,
} from '../../../features/skills/public.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Checkout } from '../workspace/checkout-set.ts';
import { leftOutReason } from '../secrets/personal-secrets.ts';
import type { ContextInput, ContextPart } from './context-provider.ts';
import { placeSkills, skillHome, type SkillBundle } from './skill-files.ts';

/**
 * Provides the skills that apply to the session: files in the directories that agents read, and their names and descriptions
 * in the instructions. The session keeps its skills in the same revisions in every sandbox, even if a skill is changed,
 * disabled or deleted.
 */
export async function provideSkills(
  input: ContextInput,
  before: readonly GivenSkill[] | undefined,
  start: 'cold' | 'again',
): Promise<ContextPart<GivenSkill>> {
  const isPinned = start === 'again' || (before ?? []).length > 0;
  const chosen = isPinned ? (before ?? []) : await selectSkills(input);
  const there = await placeSkills(input, loadBundles(input, chosen));
  const given = chosen.filter(({ source, name }) => source === 'repository' || there.has(name));
  return { given, section: skillsSection(input, given), tools: [] };
}

async function selectSkills(input: ContextInput): Promise<GivenSkill[]> {
  const { attempt, checkoutSet, prompt } = input;
  const { ctx, run, session, progress } = attempt;
  const found = await Promise.all(checkoutSet.checkouts.map((checkout) => repositorySkills(input, checkout)));
  const own = new Map(found.flat().map((skill) => [skill.id, skill]));
  const { skill_ids: ids, skills_within: within } = session.options;
  const resolved = await skillsForSession(ctx, {
    orgId: run.orgId,
    prompt,
    repositories: progress.repositories,
    ids: Array.isArray(ids) ? ids.map(String) : null,
    own: [...own.values()],
  });
  return resolved
    .filter(
      ({ given, id, source }) => given && (source === 'repository' || !Array.isArray(within) || within.includes(id)),
    )
    .map(({ id, name, description, source, revision, digest, reason, match }) => {
      const path = own.get(id)?.path ?? `~/${skillHome}/${name}`;
      const skill = {
        id: source === 'repository' ? '' : id,
        name,
        description,
        source,
        revision,
        digest,
        path,
        reason,
      };
      return match === '' ? skill : { ...skill, match };
    });
}

const maxWarnings = 5;

type OwnSkills = Awaited<ReturnType<typeof ownSkills>>;
type FoundSkills = {
  skills: Pick<OwnSkills['skills'][number], 'directory' | 'name' | 'description' | 'digest'>[];
  broken: OwnSkills['broken'];
};

/** Most sessions start from the newest commit, as others did. */
const foundSkills = createCommitCache<FoundSkills>(
  4 * 1024 ** 2,
  ({ skills, broken }) =>
    500 + 1_000 * broken.length + skills.reduce((sum, one) => sum + 500 + 2 * one.description.length, 0),
);

async function findSkills(gitDir: string, commit: string): Promise<FoundSkills> {
  const { skills, broken } = await ownSkills(await openTree(gitDir, commit, skillDirectories, maxEntries));
  const facts = skills.map(({ directory, name, description, digest }) => ({ directory, name, description, digest }));
  return { skills: facts, broken };
}

/** Returns the skills in a repository at the session's base commit. */
async function repositorySkills(
  { attempt }: ContextInput,
  checkout: Checkout,
): Promise<(OwnCandidate & { path: string })[]> {
  const { mirrorPath, baseCommit, repositoryId, repo, directory: below } = checkout;
  if (mirrorPath === '' || baseCommit === '') return [];
  try {
    const read = () => findSkills(mirrorPath, baseCommit);
    const { skills, broken } = await foundSkills.get(`${mirrorPath} ${baseCommit}`, read);
    for (const { directory, problem } of broken.slice(0, maxWarnings))
      attempt.events.warn('skill_missing', `The skill at ${directory} in ${repo} is not valid: ${problem.message}`);
    return skills.map(({ directory, name, description, digest }) => ({
      id: ownSkillId(repositoryId, directory),
      name,
      description,
      digest,
      path: posix.join(below, directory),
    }));
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    attempt.events.warn('skill_missing', `The skills in ${repo} cannot be read: ${messageOf(error)}`);
    return [];
  }
}

/** Yields skills one by one, so that only one batch is in memory. */
async function* loadBundles({ attempt }: ContextInput, chosen: readonly GivenSkill[]): AsyncGenerator<SkillBundle> {
  const { ctx, run } = attempt;
  for (const { id, name, source, revision } of chosen) {
    if (source === 'repository') continue;
    const bundle = await skillBundle(ctx, run.orgId, { id, revision });
    if (bundle === undefined) attempt.events.warn('skill_missing', `The skill ${name} was deleted and purged.`);
    else if (
      !bringsProgramsOfOthers(bundle, attempt.personalSecrets.owner) ||
      attempt.personalSecrets.admit(`the skill ${name}`)
    )
      yield { name, files: bundle.files };
    else
      attempt.events.warn('skill_left_out', `The skill ${name} is left out. ${leftOutReason('It contains programs')}`);
  }
}

/** Limit for the descriptions of all skills in the agent's instructions, and minimum for one, in characters. */
const maxAllLength = 24_000;
const minLength = 160;

/** Section with names and descriptions only; the agent reads a skill when it needs it. */
function skillsSection({ sessionSandbox: { sandbox } }: ContextInput, given: readonly GivenSkill[]): string {
  if (given.length === 0) return '';
  const length = Math.max(minLength, Math.floor(maxAllLength / given.length));
  const lines = given.map(({ name, description, path, match }) => {
    const place = path.startsWith('~/') ? posix.join(sandbox.home, path.slice(2)) : posix.join(sandbox.workspace, path);
    const words = description.replaceAll(/\s+/g, ' ');
    const text = words.length > length ? `${Array.from(words).slice(0, length).join('')}…` : words;
    return `- \`${name}\`, in \`${place}/SKILL.md\`: ${text}${match === undefined ? '' : ` (Probably relevant here. ${match})`}`;
  });
  return `# Skills

Instructions for kinds of work, each in a directory of its own. When one fits the task, read its SKILL.md before you start
that kind of work, and follow it. The other files it names are in the same directory.

${lines.join('\n')}`;
}
