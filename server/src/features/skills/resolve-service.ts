import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { knownRepositories, repositoriesIn } from './assignments.ts';
import { skillsOfRepositories } from './own-service.ts';
import type { ResolveQuery, ResolveSkills } from './resolve-schemas.ts';
import type { NamedRepository } from '../../lib/providers.ts';
import { skillsForSession } from './public.ts';

/**
 * Returns the skills that a session with this prompt and these repositories would get, and those it would not, each with a
 * reason.
 */
export async function resolveSkills(
  ctx: Pick<Context, 'db' | 'sourceControl' | 'log'>,
  caller: Actor,
  { repo, prompt = '' }: ResolveQuery,
) {
  return { items: await skillsFor(ctx, caller, repositoriesIn(repo), prompt) };
}

/** Like {@link resolveSkills}, with the skills that the session would not get apart. */
export async function resolveSkillsForPrompt(
  ctx: Pick<Context, 'db' | 'sourceControl' | 'log'>,
  caller: Actor,
  { prompt, repo, provider }: ResolveSkills,
) {
  const named = repositoriesIn(repo).map((one) => ({ provider, ...one }));
  const all = await skillsFor(ctx, caller, named, prompt);
  return { items: all.filter(({ given }) => given), not_given: all.filter(({ given }) => !given) };
}

async function skillsFor(
  ctx: Pick<Context, 'db' | 'sourceControl' | 'log'>,
  caller: Actor,
  named: readonly NamedRepository[],
  prompt: string,
) {
  const orgId = caller.organization.id;
  const connected = await skillsOfRepositories(ctx, orgId, named);
  const own = connected.flatMap(({ skills }) => skills);
  const repositories = knownRepositories(
    named,
    connected.map(({ repository }) => repository),
  );
  const items = await skillsForSession(ctx, { orgId, prompt, repositories, ids: null, own });
  const broken = connected.flatMap(({ broken: issues }) => issues.map(brokenSkill));
  return [...items, ...broken];
}

/** A skill of the repository with an invalid SKILL.md. */
function brokenSkill({ id, path, problem }: { id: string; path: string; problem: string }) {
  const name = path.split('/').at(-1) ?? '';
  const none = { description: '', source: 'repository' as const, revision: 0, digest: '' };
  return { id, name, ...none, given: false, relevant: false, reason: `It is invalid: ${problem}` };
}
