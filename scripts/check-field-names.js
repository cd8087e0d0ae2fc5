// Finds messages outside of `server/src/http/` that name the part of a request: `body.name must be …`. The same
// services serve the tools of `/mcp` and workers, where no body exists. Run by `npm run check -- "field names"`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = execFileSync('git', ['ls-files', 'server/src'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('server/src/http/'));

const found = files.flatMap((file) => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  return textsIn(source)
    .filter((node) => saysWhere(node))
    .map((node) => `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.text}`);
});

function textsIn(node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) return [node];
  const texts = [];
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child)));
  return texts;
}

function saysWhere(node) {
  return ts.isTemplateHead(node)
    ? /^(?:body|query|header)(?:\.|$)/.test(node.text)
    : /^(?:body|query|header)\./.test(node.text);
}

for (const line of found) console.log(line);
if (found.length > 0)
  console.log(
    "Throw fieldError('/name', 'must be …') of server/src/lib/field-error.ts; http adds the part of the request.",
  );
process.exitCode = found.length === 0 ? 0 : 1;
