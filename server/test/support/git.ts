import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runGit } from './run-git.ts';

/** A user's git, with work trees in a separate directory. */
export interface GitUser {
  root: string;
  /** Runs git in `cwd`; returns its trimmed output, and rejects with its standard error. */
  git(cwd: string, ...args: string[]): Promise<string>;
  /** Writes files and commits everything; returns the commit. */
  commit(cwd: string, files: Record<string, string>, message?: string): Promise<string>;
  /** Creates a repository whose `branch` has these files; returns its directory. */
  start(files: Record<string, string>, branch?: string): Promise<string>;
  close(): Promise<void>;
}

const environment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

export async function createGitUser(): Promise<GitUser> {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-work-'));
  let count = 0;
  const user: GitUser = {
    root,
    git: (cwd, ...args) => runGit(cwd, args, { ...process.env, ...environment }),
    async commit(cwd, files, message = 'change') {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(cwd, name)), { recursive: true });
        await writeFile(join(cwd, name), content);
      }
      await user.git(cwd, 'add', '-A');
      await user.git(cwd, 'commit', '-q', '-m', message);
      return user.git(cwd, 'rev-parse', 'HEAD');
    },
    async start(files, branch = 'main') {
      const work = join(root, `work-${(count += 1)}`);
      await mkdir(work);
      await user.git(work, 'init', '-q', '-b', branch);
      await user.commit(work, files, 'first');
      return work;
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
  return user;
}

/** Returns the URL with the key as the password of basic authentication. */
export function withKey(url: string, key: string): string {
  return withUser(url, 'anyone', key);
}

/** Returns the URL with a user and a password of basic authentication. */
export function withUser(url: string, user: string, password: string): string {
  return url.replace('://', `://${user}:${password}@`);
}
