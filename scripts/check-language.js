// Finds phrases in messages, docstrings and documents that CONTRIBUTING's "How text reads here" forbids. Run by
// `npm run check -- language`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsIn, problemsInDocument } from './language.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['server', 'client', 'demo', 'scripted-model', 'bench', 'scripts'];
const read = (file) => readFileSync(join(root, file), 'utf8');
const list = (...patterns) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' }).split('\n');
const sources = list(...folders).filter((file) => /\.(?:ts|js|mjs)$/.test(file) && !file.endsWith('.gen.ts'));
// The glossary lists the terms that are not used.
const documents = list('*.md').filter((file) => file !== '' && file !== 'docs/glossary.md');

const problems = [
  ...sources.flatMap((file) => problemsIn(file, read(file))),
  ...documents.flatMap((file) => problemsInDocument(file, read(file))),
];
for (const { line, phrase, rule, file } of problems) console.log(`${file}:${line} "${phrase}": ${rule}`);
if (problems.length > 0) console.log('CONTRIBUTING.md has the rules under "How text reads here".');
process.exitCode = problems.length === 0 ? 0 : 1;
