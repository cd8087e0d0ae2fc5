// `npm run console`: builds the console into console/dist, unless it is already built from the same sources. Part of
// scripts/setup.js too.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'console/dist');
const stampName = '.sources';
const limitMs = 300_000;

const sources = digestOfSources();
if (stampOf(target) !== sources) build();

/** Returns a digest of everything that the build reads. */
function digestOfSources() {
  const files = [
    ...globSync('console/**/*', { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist[^/]*)$/.test(path) }),
    ...globSync('client/src/**/*.ts', { cwd: root }),
    'package-lock.json',
    'scripts/build-console.js',
  ];
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    const bytes = readOrNothing(join(root, file));
    if (bytes !== undefined) hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

function stampOf(directory) {
  return readOrNothing(join(directory, stampName))?.toString();
}

/** Builds beside the present one, and then takes its place: a server that runs never sees half of it. */
function build() {
  console.error('Building the console (once, some 10 s) …');
  const next = join(root, `console/dist-${process.pid}`);
  const old = `${next}-old`;
  try {
    const { status, stdout, stderr, error } = spawnSync(
      join(root, 'node_modules/.bin/node'),
      [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--outDir', next],
      {
        cwd: join(root, 'console'),
        // Tests have another value, with which React is built for development.
        env: { ...process.env, NODE_ENV: 'production' },
        encoding: 'utf8',
        timeout: limitMs,
      },
    );
    if (status !== 0) {
      console.error(`The console could not be built.\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
      process.exitCode = 1;
      return;
    }
    compress(next);
    writeFileSync(join(next, stampName), sources);
    mkdirSync(target, { recursive: true });
    renameSync(target, old);
    renameSync(next, target);
  } finally {
    rmSync(next, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** Writes each text also with brotli and gzip, as the server sends them. */
function compress(directory) {
  for (const name of globSync('-/assets/**/*', { cwd: directory })) {
    if (!['.js', '.css', '.svg'].includes(extname(name))) continue;
    const bytes = readFileSync(join(directory, name));
    // The highest quality takes twenty times as long for a twentieth less.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

function readOrNothing(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
