import type { Context } from '../../app/context.ts';
import { ProviderError } from '../../lib/errors.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { repositoryById, repositoriesNamed } from '../repositories/service.ts';
import { sizeOf } from './bundle.ts';
import type { NamedRepository } from '../../lib/providers.ts';
import {
  maxEntries,
  ownSkillId,
  ownSkills,
  repositoryIdOf,
  skillDirectories,
  type OwnSkill,
} from './repository-skills.ts';
import { sentenceOf } from './validation.ts';

type GitContext = Pick<Context, 'db' | 'sourceControl' | 'log'>;
type Repository = NonNullable<Awaited<ReturnType<typeof repositoryById>>>;

/** A directory with an invalid SKILL.md. */
interface Broken {
  id: string;
  path: string;
  problem: string;
}

/** A repository's own skill in its API shape. */
type OwnSkillShape = ReturnType<typeof shapeOf>;

/** Returns the organization's repositories with these names, and the skills on their default branches. */
export async function skillsOfRepositories(ctx: GitContext, orgId: string, names: readonly NamedRepository[]) {
  const found: { repository: NamedRepository & { provider: string }; skills: OwnSkillShape[]; broken: Broken[] }[] = [];
  for (const repository of await repositoriesNamed(ctx, orgId, names)) {
    const { skills, broken } = await skillsOf(ctx, orgId, repository);
    const { provider, repo } = repository;
    found.push({
      repository: { provider, repo },
      skills: skills.map(({ shape }) => shape),
      broken: broken.map(({ directory, problem }) => ({
        id: ownSkillId(repository.id, directory),
        path: directory,
        problem: sentenceOf(problem),
      })),
    });
  }
  return found;
}

/** Returns the repository skill with this id and its files; undefined if it does not exist or the id has another form. */
export async function ownSkill(ctx: GitContext, orgId: string, id: string) {
  const repositoryId = repositoryIdOf(id);
  const repository = repositoryId === undefined ? undefined : await repositoryById(ctx, orgId, repositoryId);
  if (repository === undefined) return undefined;
  const { skills } = await skillsOf(ctx, orgId, repository);
  return skills.find(({ shape }) => shape.id === id);
}

async function skillsOf(ctx: GitContext, orgId: string, repository: Repository) {
  const none = { skills: [], broken: [] };
  try {
    const { readTree } = ctx.sourceControl.of(repository.provider);
    const branch = `refs/heads/${repository.default_branch}`;
    const tree = await readTree?.(refOf(orgId, repository), branch, skillDirectories, maxEntries);
    if (tree === undefined) return none;
    const { skills, broken } = await ownSkills(tree);
    if (skills.length === 0) return { skills: [], broken };
    const at = { commit: tree.commit, committedAt: await tree.committedAt() };
    return { skills: skills.map((skill) => ({ shape: shapeOf(repository, at, skill), files: skill.files })), broken };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // The repository may be deleted concurrently; the organization's own skills must load anyway.
    ctx.log.warn({ repository: repository.id, reason: error.message }, "a repository's own skills cannot be read");
    return none;
  }
}

function shapeOf(repository: Repository, at: { commit: string; committedAt: Date }, skill: OwnSkill) {
  const { directory, name, description, license, metadata, digest, files, entries } = skill;
  const { provider, repo, default_branch: ref } = repository;
  return {
    id: ownSkillId(repository.id, directory),
    name,
    description,
    source: 'repository' as const,
    revision: 0,
    digest,
    enabled: true,
    assignments: [{ scope: 'repository' as const, repo: `${provider}:${repo}` }],
    license,
    metadata: { ...metadata, repository: { provider, repo, ref, path: directory, commit: at.commit } },
    file_count: files.length,
    size_bytes: sizeOf(files),
    created_at: at.committedAt,
    updated_at: at.committedAt,
    files: entries,
  };
}
