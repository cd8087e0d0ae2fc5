// Finds regular expressions that may take more than linear time. Any text may be hostile, and a slow expression blocks
// the whole process. Run by `npm run check -- expressions`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyse } from 'scslre';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const tests = /\.(?:test|gen)\.ts$|\/contract\.ts$|[/-]fixture\.ts$/;
const files = execFileSync('git', ['ls-files', 'server/src', 'client/src', 'demo/src'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !tests.test(file));

const found = files.flatMap((file) => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  return literalsIn(source).flatMap((node) => {
    const end = node.text.lastIndexOf('/');
    const { reports } = analyse({ source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    return reports.length === 0 ? [] : [`${file}:${line} ${node.text}`];
  });
});

function literalsIn(node) {
  if (ts.isRegularExpressionLiteral(node)) return [node];
  const literals = [];
  ts.forEachChild(node, (child) => void literals.push(...literalsIn(child)));
  return literals;
}

for (const line of found) console.log(line);
if (found.length > 0)
  console.log(
    'These expressions take more than linear time. Bound what repeats, or walk the text (see server/src/lib/trim.ts).',
  );
process.exitCode = found.length === 0 ? 0 : 1;
