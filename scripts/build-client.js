// `npm run client`: packs the typed client for installation in any project, and prints its path. The workspace itself
// imports the TypeScript sources, but Node runs no TypeScript below node_modules, so the package contains JavaScript.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [destination = root] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'guildhall-client-'));
try {
  const compile = ['tsc', '--project', join(root, 'client/tsconfig.build.json'), '--outDir', join(directory, 'dist')];
  execFileSync(join(root, 'node_modules/.bin', compile[0]), compile.slice(1), { stdio: ['ignore', 2, 2] });
  const { name, version, license, type, dependencies } = JSON.parse(
    readFileSync(join(root, 'client/package.json'), 'utf8'),
  );
  const description = 'Typed client for the HTTP API of Guildhall';
  const [main, types] = ['./dist/index.js', './dist/index.d.ts'];
  const exports = { '.': { types, default: main } };
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    main,
    types,
    exports,
    engines: { node: '>=20' },
    dependencies,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  cpSync(join(root, 'client/README.md'), join(directory, 'README.md'));
  const packed = execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', destination], {
    cwd: directory,
    encoding: 'utf8',
  });
  console.log(join(destination, JSON.parse(packed)[0].filename));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
