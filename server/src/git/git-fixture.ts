import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runGit } from '../../test/support/run-git.ts';
import { serveGit } from '../adapters/source-control/local/http-backend.ts';
import { parseGitPath, parseService } from './http-path.ts';
import type { Served, ServeOptions } from '../adapters/source-control/local/exchange.ts';

/** For this folder's tests: real repositories in a temporary directory, and a real server in front of them. */
export interface GitFixture {
  root: string;
  /** Returns a path below the root. */
  path(name: string): string;
  /** Runs the git client of a user in `cwd`; returns its trimmed output. */
  client(cwd: string, ...args: string[]): Promise<string>;
  /** Creates a work tree with its own repository, with `files` as the first commit on `main`; returns its path. */
  work(name: string, files: Record<string, string | Uint8Array>): Promise<string>;
  /** Writes files and commits everything; returns the commit. */
  commit(work: string, files: Record<string, string | Uint8Array>, message?: string): Promise<string>;
  dispose(): Promise<void>;
}

const clientEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

export async function createGitFixture(): Promise<GitFixture> {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-git-'));
  const fixture: GitFixture = {
    root,
    path: (name) => join(root, name),
    client: (cwd, ...args) => runGit(cwd, args, clientEnvironment),
    work: async (name, files) => {
      const work = join(root, name);
      await mkdir(work, { recursive: true });
      await fixture.client(work, 'init', '-q', '-b', 'main');
      await fixture.commit(work, files, 'first');
      return work;
    },
    commit: async (work, files, message = 'change') => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(work, name)), { recursive: true });
        await writeFile(join(work, name), content);
      }
      await fixture.client(work, 'add', '-A');
      await fixture.client(work, 'commit', '-q', '--allow-empty', '-m', message);
      return fixture.client(work, 'rev-parse', 'HEAD');
    },
    dispose: () => rm(root, { recursive: true, force: true }),
  };
  return fixture;
}

/** Returns a text with an object id that counts when it is decided if a repository is to be packed; another for each name. */
export function countedText(name: string): string {
  for (let at = 0; ; at += 1) {
    const text = `${name} ${at}`;
    if (createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex').startsWith('17')) return text;
  }
}

export interface GitServer {
  url: string;
  /** Every request that was served, in order. */
  served: Served[];
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  errors: unknown[];
  /** Resolves when `count` exchanges have ended. */
  settled(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Serves `<root>/<repo>.git` at `/<repo>.git`, like a route of the product. */
export async function serveFixture(
  root: string,
  extra: Partial<ServeOptions> & { before?: (request: IncomingMessage, response: ServerResponse) => boolean } = {},
): Promise<GitServer> {
  const sockets = new Set<Socket>();
  const waiters: (() => void)[] = [];
  let ended = 0;
  const { before, ...options } = extra;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fixture');
    fixture.requests.push({ url: request.url ?? '', headers: request.headers });
    const path = parseGitPath(url.pathname);
    const service = path?.endpoint === 'info/refs' ? parseService(url.searchParams.get('service')) : path?.endpoint;
    if (before?.(request, response) === true) return;
    if (path === undefined || service === undefined) {
      response.writeHead(404).end();
      return;
    }
    const endpoint = path.endpoint === 'info/refs' ? 'info/refs' : 'rpc';
    const repositoryPath = join(root, `${path.repo}.git`);
    serveGit({ repositoryPath, endpoint, service, request, response, ...options })
      .then((served) => fixture.served.push(served))
      .catch((error: unknown) => fixture.errors.push(error))
      .finally(() => {
        ended += 1;
        for (const wake of waiters.splice(0)) wake();
      });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fixture: GitServer = {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    served: [],
    requests: [],
    errors: [],
    settled: async (count) => {
      if (ended >= count) return;
      await new Promise<void>((resolve) => waiters.push(resolve));
      await fixture.settled(count);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
