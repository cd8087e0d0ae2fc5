import { instant } from './pulls.ts';
import type { World } from './route.ts';
import type { Account, Comment, Thread } from './said-state.ts';
import { refusal, type Grant, type Pull, type Repository } from './state.ts';

/** Returns who acts with a credential. */
export function accountOf(world: World, grant: Grant): Account {
  return grant.kind === 'token'
    ? { login: grant.login, isBot: false }
    : { login: `${world.grants.app.slug}[bot]`, isBot: true };
}

/** Adds a comment on a pull request or an issue, which changes it. */
export function say(world: World, repository: Repository, number: number, author: Account, body: string): Comment {
  const now = instant(world.now());
  const comment = { id: world.nextId(), number, body, author, createdAt: now, reactions: [] };
  touch(world, repository, number);
  repository.comments.push(comment);
  return comment;
}

export function touch(world: World, { pulls, issues }: Repository, number: number): void {
  const subject = [...pulls, ...issues].find((one) => one.number === number);
  if (subject === undefined) throw refusal(404, 'Not Found');
  subject.updatedAt = instant(world.now());
}

/** Returns true if a pull request's change has a line in a file, or one near it. */
export async function isInDiff(
  { bare }: Repository,
  pull: Pull,
  { path, line, side }: Pick<Thread, 'path' | 'line' | 'side'>,
): Promise<boolean> {
  const base = await bare.git('merge-base', pull.baseSha, pull.headSha);
  const diff = await bare.git('diff', base, pull.headSha, '--', path);
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].some((hunk) => {
    const [first, count] = side === 'LEFT' ? [hunk[1], hunk[2]] : [hunk[3], hunk[4]];
    return line >= Number(first) && line < Number(first) + Number(count ?? 1);
  });
}

/** Returns true if a thread's line is another one by now. */
export async function isOutdated({ bare }: Repository, pull: Pull, thread: Thread): Promise<boolean> {
  const lineAt = async (commit: string): Promise<string | undefined> => {
    const text = await bare.git('show', `${commit}:${thread.path}`).catch(() => '');
    return text.split('\n')[thread.line - 1];
  };
  return thread.side === 'RIGHT' && (await lineAt(thread.commit)) !== (await lineAt(pull.headSha));
}
