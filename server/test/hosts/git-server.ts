import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';

const environment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Host',
  GIT_AUTHOR_EMAIL: 'host@example.org',
  GIT_COMMITTER_NAME: 'Host',
  GIT_COMMITTER_EMAIL: 'host@example.org',
};

/** A bare repository of a fake git host. Git itself serves it and merges in it. */
export interface BareRepository {
  readonly directory: string;
  /** Runs git in it; returns its trimmed output, and rejects with its standard error. */
  git(...args: string[]): Promise<string>;
  /** Returns the commit of a revision; undefined if there is none. */
  commit(revision: string): Promise<string | undefined>;
  /** Merges `head` into a branch. Returns the branch's new commit, or the paths in conflict, and then changes nothing. */
  merge(input: { branch: string; head: string; message: string; method: GitMergeMethod }): Promise<GitMerge>;
  /** Returns the paths in conflict if `head` were merged into `base`. */
  conflicts(base: string, head: string): Promise<string[]>;
  /** Serves a request of git's smart HTTP protocol; `path` is behind the repository, for example `/info/refs`. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** `squash` adds one commit to the branch; `squash-and-merge` joins it by a merge commit. */
export type GitMergeMethod = 'merge' | 'squash' | 'squash-and-merge';

export interface GitMerge {
  /** `''` if there are conflicts. */
  readonly commit: string;
  /** The squashed commit; `''` for the method `merge`. */
  readonly squashed: string;
  readonly conflicts: readonly string[];
}

export async function createBareRepository(directory: string, branch = 'main'): Promise<BareRepository> {
  const git = async (...args: string[]): Promise<string> =>
    (await execa('git', args, { cwd: directory, env: environment })).stdout;
  await execa('git', ['init', '-q', '--bare', '-b', branch, directory], { env: environment });
  await git('config', 'http.receivepack', 'true');

  async function mergedTree(base: string, head: string): Promise<{ tree: string; conflicts: string[] }> {
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', base, head];
    const { stdout, exitCode } = await execa('git', args, { cwd: directory, env: environment, reject: false });
    const [tree = '', ...paths] = stdout.split('\n');
    return { tree, conflicts: exitCode === 0 ? [] : paths.filter((path) => path !== '') };
  }

  return {
    directory,
    git,
    commit: async (revision) =>
      (await readBranch(directory, revision)) ??
      git('rev-parse', '--verify', '-q', `${revision}^{commit}`).catch(() => undefined),
    async merge({ branch: into, head, message, method }) {
      const base = await git('rev-parse', `refs/heads/${into}`);
      const { tree, conflicts } = await mergedTree(base, head);
      if (conflicts.length > 0) return { commit: '', squashed: '', conflicts };
      const commitOn = (...parents: string[]) =>
        git('commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message);
      const squashed = method === 'merge' ? '' : await commitOn(base);
      const commit = method === 'squash' ? squashed : await commitOn(base, squashed || head);
      await git('update-ref', `refs/heads/${into}`, commit, base);
      return { commit, squashed, conflicts };
    },
    conflicts: async (base, head) => (await mergedTree(base, head)).conflicts,
    serve: (request, response, path) => serve(directory, request, response, path),
  };
}

/** Returns the commit in a branch's own file, as git writes it: hosts are asked for branches all the time. */
async function readBranch(directory: string, revision: string): Promise<string | undefined> {
  if (!/^refs\/heads\/\w[\w/-]*$/.test(revision)) return undefined;
  const text = await readFile(join(directory, revision), 'utf8').catch(() => '');
  return /^[0-9a-f]{40}(?=\n$)/.exec(text)?.[0];
}

/** Runs `git http-backend`, git's own CGI program. */
async function serve(directory: string, request: IncomingMessage, response: ServerResponse, path: string) {
  const { headers, method = 'GET', url = '/' } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      ...environment,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: new URL(url, 'http://host').search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: 'user',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  response.on('close', () => child.kill());
  let head = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    if (response.headersSent) response.write(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      writeHead(response, head.toString('latin1', 0, end));
      response.write(head.subarray(end + 4));
    }
  }
  response.end();
}

function writeHead(response: ServerResponse, head: string): void {
  const fields = head.split('\r\n').map((line) => line.split(/:\s*(.*)/s));
  const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
  for (const [name = '', value = ''] of fields) if (name !== 'Status') response.setHeader(name, value);
  response.writeHead(Number.parseInt(status, 10));
}
