import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from './processes.ts';
import { caller, type Call } from './session.ts';

export interface CodeFigures {
  lines: number;
  files: number;
  index: { ms: number; parserMib: number; afterPushMs: number };
  wiki: { ms: number; builderMib: number; afterPushMs: number; pages: number; bytes: number };
  search: Record<'symbol' | 'path' | 'text', { p50: number; p95: number }>;
}

const root = join(import.meta.dirname, '../..');
const path = '/v3/organizations/default/repositories';
const isCode = (name: string): boolean => /\.(?:[cm]?[jt]sx?|py|c|h|cc|sh|md|json)$/.test(name);
const isLeftOut = (name: string): boolean => /^\.|^node_modules$|\.min\.|\.map$|^package-lock/.test(name);

/**
 * Measures the index and the wiki of a repository of about `lines` lines: packages that this repository installed. Then pushes
 * changes of ten files, and searches.
 */
export async function benchCode(options: {
  directory: string;
  lines: number;
  say: (line: string) => void;
}): Promise<CodeFigures> {
  const { directory, say } = options;
  const source = mkdtempSync(join(directory, 'code-'));
  say('copying installed packages');
  const { files, lines } = copyPackages(source, options.lines);
  const data = mkdtempSync(join(directory, 'code-data-'));
  const env = { DATABASE_URL: '', GUILDHALL_RATE_LIMIT: '0' };
  const server = await startProgram(
    'server/src/main.ts',
    ['--port', '0', '--data', data, '--json'],
    env,
    `${data}.log`,
  );
  try {
    const call = caller(String(server.ready['url']), readFileSync(join(data, 'admin-key'), 'utf8').trim());
    say(`pushing ${files.length} files, ${lines} lines`);
    const { id, push } = await pushTree(call, source);
    const made = await makeBoth(call, id, say);
    say('pushing changes of ten files');
    for (const file of files.filter((name) => name.endsWith('.js')).slice(0, 10))
      appendFileSync(join(source, file), '\nexport const pushed = 1;\n');
    const after = await follow(call, id, push);
    say('searching');
    return {
      lines,
      files: files.length,
      index: { ...made.index, afterPushMs: after.indexMs },
      wiki: { ...made.wiki, afterPushMs: after.wikiMs },
      search: {
        symbol: await searches(call, id, 'symbol'),
        path: await searches(call, id, 'path'),
        text: await searches(call, id, 'text'),
      },
    };
  } finally {
    await server.stop();
  }
}

async function makeBoth(call: Call, id: string, say: (line: string) => void) {
  const wiki = () => call('GET', `${path}/${id}/wiki`);
  say('indexing');
  const parser = watchMemory(join(root, 'server/src/symbols/program.ts'));
  const indexMs = await timed(
    () => call('PUT', `${path}/${id}/index`),
    () => call('GET', `${path}/${id}/index`),
  );
  say('making the wiki');
  const builder = watchMemory(join(root, 'server/src/wiki/program.ts'));
  const wikiMs = await timed(() => call('POST', `${path}/${id}/wiki/regenerate`, {}), wiki);
  const [parserMib, builderMib] = [parser(), builder()];
  const pages = Object(await wiki())['pages'];
  let bytes = 0;
  for (const { slug } of pages)
    bytes += Buffer.byteLength(String((await call('GET', `${path}/${id}/wiki/pages/${slug}`))['body']));
  return { index: { ms: indexMs, parserMib }, wiki: { ms: wikiMs, builderMib, pages: Number(pages.length), bytes } };
}

/** Returns the milliseconds from a push until the index, and then the wiki, describe it. */
async function follow(call: Call, id: string, push: () => void): Promise<{ indexMs: number; wikiMs: number }> {
  const looks = { index: () => call('GET', `${path}/${id}/index`), wiki: () => call('GET', `${path}/${id}/wiki`) };
  const before = { index: (await looks.index())['commit'], wiki: (await looks.wiki())['commit'] };
  const begun = performance.now();
  push();
  await changes(looks.index, before.index);
  const indexMs = performance.now() - begun;
  await changes(looks.wiki, before.wiki);
  return { indexMs, wikiMs: performance.now() - begun };
}

/** Copies source files of installed packages until there are enough lines; returns their paths. */
function copyPackages(to: string, most: number): { files: string[]; lines: number } {
  const files: string[] = [];
  let lines = 0;
  const from = join(root, 'node_modules');
  const walk = (place: string): void => {
    for (const entry of readdirSync(join(from, place), { withFileTypes: true })) {
      if (lines >= most || isLeftOut(entry.name)) continue;
      const below = join(place, entry.name);
      if (entry.isDirectory()) walk(below);
      else if (entry.isFile() && isCode(entry.name) && statSync(join(from, below)).size < 1_000_000) {
        const name = join('packages', below);
        mkdirSync(dirname(join(to, name)), { recursive: true });
        copyFileSync(join(from, below), join(to, name));
        files.push(name);
        lines += readFileSync(join(from, below), 'latin1').split('\n').length;
      }
    }
  };
  walk('');
  return { files, lines };
}

async function pushTree(call: Call, source: string): Promise<{ id: string; push: () => void }> {
  const { id, clone_url: url, key } = await call('POST', path, { provider: 'local', repo: 'bench/packages' });
  const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: source, env, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  const push = (): void => {
    git('add', '--all', '--force');
    git('-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-q', '-m', 'change');
    git('-c', `http.extraHeader=Authorization: Bearer ${String(key)}`, 'push', '-q', String(url), 'main');
  };
  push();
  return { id: String(id), push };
}

type Look = () => Promise<Record<string, unknown>>;

/** Returns the milliseconds from an order until it is carried out. */
async function timed(order: () => Promise<unknown>, look: Look): Promise<number> {
  const begun = performance.now();
  await order();
  for (;;) {
    const { state, error } = await look();
    if (state === 'ready') return performance.now() - begun;
    if (state === 'failed') throw new Error(String(error));
    await delay(50);
  }
}

async function changes(look: Look, before: unknown): Promise<void> {
  for (;;) {
    const { state, commit } = await look();
    if (state === 'ready' && commit !== before) return;
    if (state === 'failed') throw new Error('the update failed');
    await delay(50);
  }
}

/** Watches programs with this in their command line; the returned function returns the most memory of one, in MiB. */
function watchMemory(name: string): () => number {
  let most = 0;
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name)) continue;
        const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        most = Math.max(most, Number(kib ?? 0) / 1_024);
      } catch {
        // It ended meanwhile.
      }
  };
  const timer = setInterval(look, 100);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const wanted = ['parse', 'create', 'Error', 'index', 'read', 'options', 'stream', 'test', 'value', 'node'];

async function searches(call: Call, id: string, kind: string): Promise<{ p50: number; p95: number }> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1)
    for (const word of wanted) {
      const begun = performance.now();
      await call('GET', `${path}/${id}/search?kind=${kind}&q=${word}`);
      times.push(performance.now() - begun);
    }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 };
}
