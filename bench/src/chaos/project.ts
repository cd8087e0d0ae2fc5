import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unwrap } from '@guildhall/client';
import type { Installation } from './installation.ts';
import { persist } from './persist.ts';
import { projectFiles } from './work.ts';

const run = promisify(execFile);
const maxOutputBytes = 64 * 1024 * 1024;

/** A repository on the built-in git host. */
export interface Project {
  id: string;
  repo: string;
  cloneUrl: string;
  /** The commit of `main`. */
  base: string;
}

/**
 * Runs git without this machine's configuration; passes the key in the environment, because arguments are visible to
 * others. Returns its output.
 */
export async function git(
  args: string[],
  options: { cwd: string; key?: string; env?: Record<string, string> },
): Promise<string> {
  const { cwd, key, env } = options;
  const header = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader' };
  const { stdout } = await run('git', args, {
    cwd,
    maxBuffer: maxOutputBytes,
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      ...(key === undefined ? {} : { ...header, GIT_CONFIG_VALUE_0: `Authorization: Bearer ${key}` }),
      ...env,
    },
  });
  return stdout;
}

/** Creates repositories and pushes the project into each, as a user would. */
export async function createProjects(
  { client, key, directory }: Installation,
  count: number,
  signal: AbortSignal,
): Promise<Project[]> {
  const projects: Project[] = [];
  for (let number = 1; number <= count; number += 1) {
    const repo = `chaos/project-${number}`;
    const body = { provider: 'local' as const, repo };
    const made = await persist(
      (headers) => unwrap(client.POST('/v3/organizations/{orgId}/repositories', { body, headers })),
      signal,
    );
    mkdirSync(join(directory, 'sources'), { recursive: true });
    const cwd = mkdtempSync(join(directory, 'sources/project-'));
    for (const [path, content] of projectFiles) writeFileSync(join(cwd, path), content);
    await git(['init', '-q', '-b', 'main'], { cwd });
    await git(['add', '--all'], { cwd });
    await git(['-c', 'user.name=Chaos', '-c', 'user.email=chaos@localhost', 'commit', '-q', '-m', 'first'], { cwd });
    await git(['push', '-q', made.clone_url, 'main'], { cwd, key });
    const base = (await git(['rev-parse', 'HEAD'], { cwd })).trim();
    projects.push({ id: made.id, repo, cloneUrl: made.clone_url, base });
  }
  return projects;
}
