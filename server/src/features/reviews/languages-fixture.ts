import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const peers = join(root, 'test-peers/node_modules');

/** A bug that a change brings into a file, and the linter that finds it. */
export interface SeededBug {
  language: string;
  linter: string;
  /** Path of a program that sandboxes have too, or of an npm package. */
  program: string;
  /** A program that reviews use instead where it is. */
  replacedBy?: string;
  bug: string;
  file: string;
  before: string;
  after: string;
  line: number;
}

const items = 'exports.total = (items) => items.length;\n';

/** One for each linter. What `before` has wrong is on the base commit too. */
export const seededBugs: SeededBug[] = [
  {
    language: 'JavaScript',
    linter: 'ESLint',
    program: join(peers, 'eslint'),
    bug: '`if (items = 1)`',
    file: 'eslint/total.js',
    before: `exports.old = (a) => { if (a = 1) return a; };\n${items}`,
    after: `exports.old = (a) => { if (a = 1) return a; };\n${items}exports.one = (items) => { if (items = 1) return items; };\n`,
    line: 3,
  },
  {
    language: 'JavaScript',
    linter: 'Oxlint',
    program: join(root, 'node_modules/oxlint'),
    bug: 'a forgotten `debugger`',
    file: 'oxlint/total.js',
    before: `exports.old = () => { debugger; };\n${items}`,
    after: `exports.old = () => { debugger; };\n${items}exports.one = (items) => { debugger; return items; };\n`,
    line: 3,
  },
  {
    language: 'JavaScript',
    linter: '`node --check`',
    program: process.execPath,
    bug: 'a missing bracket',
    file: 'node/total.js',
    before: items,
    after: `${items}exports.sum = (items) => items.reduce((a, b) => a + b, 0;\n`,
    line: 2,
  },
  {
    language: 'TypeScript',
    linter: '`tsc`',
    program: '/usr/bin/tsc',
    bug: 'a number as a string',
    file: 'ts/total.ts',
    before: 'export const old: number = "wrong since ever";\nexport const total = (items: number[]) => items.length;\n',
    after:
      'export const old: number = "wrong since ever";\nexport const total = (items: number[]) => items.length;\nexport const first: string = total([1]);\n',
    line: 3,
  },
  {
    language: 'Python',
    linter: 'Ruff',
    program: '/usr/bin/ruff',
    bug: 'an unused import',
    file: 'ruff/total.py',
    before: 'import os\n\n\ndef total(items):\n    return len(items)\n',
    after: 'import os\nimport sys\n\n\ndef total(items):\n    return len(items)\n',
    line: 2,
  },
  {
    language: 'Python',
    linter: 'Pyflakes',
    program: '/usr/bin/pyflakes3',
    replacedBy: '/usr/bin/ruff',
    bug: 'an undefined name',
    file: 'pyflakes/total.py',
    before: 'def old():\n    return missing\n\n\ndef total(items):\n    return len(items)\n',
    after: 'def old():\n    return missing\n\n\ndef total(items):\n    return len(items) + offset\n',
    line: 6,
  },
  {
    language: 'Python',
    linter: '`python3 -m py_compile`',
    program: '/usr/bin/python3',
    replacedBy: '/usr/bin/ruff',
    bug: 'a bracket too many',
    file: 'python/total.py',
    before: 'def total(items):\n    return len(items)\n',
    after: 'def total(items):\n    return len(items))\n',
    line: 2,
  },
  {
    language: 'shell',
    linter: 'ShellCheck',
    program: '/usr/bin/shellcheck',
    bug: 'an unquoted `$1` of `rm`',
    file: 'sh/clean.sh',
    before: '#!/bin/sh\nrm -r $1/old\n',
    after: '#!/bin/sh\nrm -r $1/old\nrm -r $1/build\n',
    line: 3,
  },
  {
    language: 'Ruby',
    linter: '`ruby -wc`',
    program: '/usr/bin/ruby',
    bug: 'a bracket too many',
    file: 'rb/total.rb',
    before: 'def total(items)\n  items.length\nend\n',
    after: 'def total(items)\n  items.length\nend\nTOTAL = )\n',
    line: 4,
  },
  {
    language: 'PHP',
    linter: '`php -l`',
    program: '/usr/bin/php',
    bug: 'a missing semicolon',
    file: 'php/total.php',
    before: '<?php\nfunction total($items) { return count($items); }\n',
    after: '<?php\nfunction total($items) { return count($items) }\n',
    line: 2,
  },
  {
    language: 'Go',
    linter: '`gofmt`',
    program: '/usr/bin/gofmt',
    bug: 'a missing operand',
    file: 'go/total.go',
    before: 'package total\n\nfunc Total(items []int) int { return len(items) }\n',
    after: 'package total\n\nfunc Total(items []int) int { return len(items) + }\n',
    line: 3,
  },
];

/** Returns why reviews here do not use the linter of a bug; `''` if they do. */
export function absence({ program, replacedBy = '' }: SeededBug): string {
  if (!existsSync(program)) return `${program} is not installed`;
  return existsSync(replacedBy) ? `${replacedBy} replaces it` : '';
}

/** The configuration of linters that need one. Each is for one directory, so that one linter finds one bug. */
export const configuration = {
  'tsconfig.json': '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2020"}, "include": ["ts"]}\n',
  'eslint.config.mjs':
    "export default [{ ignores: ['oxlint/**', 'node/**'] }, { files: ['**/*.js'], rules: { 'no-cond-assign': 'error' } }];\n",
  '.oxlintrc.json':
    '{"categories": {"correctness": "off"}, "rules": {"no-debugger": "error"}, "ignorePatterns": ["eslint/**", "node/**"]}\n',
};

/** Installs ESLint and Oxlint into a work tree, as npm would. */
export async function installLinters(work: string): Promise<void> {
  const modules = join(work, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  const names = new Set<string>();
  if (existsSync(join(peers, 'eslint'))) addNeeded('eslint', names);
  for (const name of names) await cp(join(peers, name), join(modules, name), { recursive: true });
  for (const name of ['oxlint', '@oxlint'])
    await cp(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  await symlink('../eslint/bin/eslint.js', join(modules, '.bin/eslint'));
  await symlink('../oxlint/bin/oxlint', join(modules, '.bin/oxlint'));
}

/** Adds a package and those that it needs, as far as they stand beside it. */
function addNeeded(name: string, names: Set<string>): void {
  if (names.has(name) || !existsSync(join(peers, name))) return;
  names.add(name);
  const manifest: unknown = JSON.parse(readFileSync(join(peers, name, 'package.json'), 'utf8'));
  for (const needed of Object.keys(Object(Object(manifest)['dependencies']))) addNeeded(needed, names);
}
