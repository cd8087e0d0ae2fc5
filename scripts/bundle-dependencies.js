// Bundles dependencies that consist of hundreds of modules: Node loads one file in a tenth of the time. Part of
// scripts/setup.js, which passes a stamp of what the bundles are made from; server/src/lib/fast-imports.ts uses them.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const imports = ['execa', 'kysely', 'pg-boss', 'typebox', 'typebox/value'];

const [stamp] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'node_modules/.cache/bundles');
const next = `${target}-${process.pid}`;
const old = `${next}-old`;
const nameOf = (specifier) => specifier.replace('/', '-');
try {
  await build({
    cwd: join(root, 'server'),
    input: Object.fromEntries(imports.map((specifier) => [nameOf(specifier), specifier])),
    platform: 'node',
    external: ['pg'],
    output: { dir: next, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    logLevel: 'warn',
  });
  const files = Object.fromEntries(imports.map((specifier) => [specifier, `${nameOf(specifier)}.mjs`]));
  writeFileSync(join(next, 'manifest.json'), JSON.stringify({ stamp, files }));
  mkdirSync(target, { recursive: true });
  renameSync(target, old);
  renameSync(next, target);
} finally {
  rmSync(next, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}
