// Finds phrases in messages and docstrings that CONTRIBUTING's "How text reads here" forbids. Run by
// `npm run check -- language`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsIn } from './language.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['server', 'client', 'demo', 'scripted-model', 'bench', 'scripts'];
const files = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:ts|js|mjs)$/.test(file) && !file.endsWith('.gen.ts'));

const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), 'utf8')));
for (const { line, phrase, rule, file } of problems) console.log(`${file}:${line} "${phrase}": ${rule}`);
if (problems.length > 0) console.log('CONTRIBUTING.md has the rules under "How text reads here".');
process.exitCode = problems.length === 0 ? 0 : 1;
