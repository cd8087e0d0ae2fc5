import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { knownRepositories, repositoriesIn } from './assignments.ts';
import { skillsOfRepositories } from './own-service.ts';
import type { ResolveQuery } from './schemas.ts';
import { skillsForSession } from './public.ts';

/**
 * Returns the skills that a session with this prompt and these repositories would get, and those it would not, each with a
 * reason.
 */
export async function resolveSkills(
  ctx: Pick<Context, 'db' | 'sourceControl' | 'log'>,
  caller: Actor,
  query: ResolveQuery,
) {
  const orgId = caller.organization.id;
  const named = repositoriesIn(query.repo);
  const connected = await skillsOfRepositories(ctx, orgId, named);
  const own = connected.flatMap(({ skills }) => skills);
  const repositories = knownRepositories(
    named,
    connected.map(({ repository }) => repository),
  );
  const items = await skillsForSession(ctx, { orgId, prompt: query.prompt ?? '', repositories, ids: null, own });
  const broken = connected.flatMap(({ broken: issues }) => issues.map(brokenSkill));
  return { items: [...items, ...broken] };
}

/** A skill of the repository with an invalid SKILL.md. */
function brokenSkill({ id, path, problem }: { id: string; path: string; problem: string }) {
  const name = path.split('/').at(-1) ?? '';
  const none = { description: '', source: 'repository' as const, revision: 0, digest: '' };
  return { id, name, ...none, given: false, relevant: false, reason: `It is invalid: ${problem}` };
}
