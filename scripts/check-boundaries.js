// Enforces the rules of `.dependency-cruiser.cjs` for every module, and that no features import each other in a cycle.
// Also checks that every module was read: with an unknown version of TypeScript, dependency-cruiser finds no modules or
// imports, and so no violations.
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const folders = ['server', 'client', 'console/src', 'scripted-model', 'demo', 'bench', 'scripts'];
const present = folders.filter((folder) => globSync(folder).length > 0);
const { output } = await cruise(present, { ruleSet: { forbidden }, validate: true, ...options }, undefined, {
  tsConfig: extractTSConfig(options.tsConfig.fileName),
});

const problems = output.summary.violations.map(({ rule, from, to, cycle }) => {
  const { comment } = forbidden.find(({ name }) => name === rule.name);
  const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(' → ');
  return `${rule.name}: ${from} → ${path}\n  ${comment}`;
});

problems.push(...featureCycles(output.modules));

const seen = new Map(output.modules.map((module) => [module.source, module.dependencies]));
const files = globSync(`{${folders.join(',')}}/**/*.{ts,tsx,js,mjs,cjs}`, { exclude: ['**/node_modules/**'] });
problems.push(...files.filter((file) => !seen.has(file)).map((file) => `not read: ${file}`));
const imports = files.reduce((sum, file) => sum + (seen.get(file)?.length ?? 0), 0);
// A module has three to five imports on average; far fewer mean that they were not read.
if (imports < files.length) problems.push(`only ${imports} imports seen in ${files.length} modules`);

console.log([...problems, `${files.length} modules, ${imports} imports, ${problems.length} problems`].join('\n'));
process.exitCode = problems.length === 0 ? 0 : 1;

/**
 * Returns cycles between features, direct and indirect. dependency-cruiser's own rule for folders includes tests, which
 * may import any feature.
 */
function featureCycles(modules) {
  const featureOf = (path) => /^server\/src\/features\/([^/]+)\//.exec(path)?.[1];
  const graph = new Map();
  for (const { source, dependencies } of modules) {
    const from = featureOf(source);
    if (from === undefined || source.endsWith('.test.ts')) continue;
    const others = graph.get(from) ?? new Map();
    graph.set(from, others);
    for (const { resolved } of dependencies) {
      const to = featureOf(resolved);
      if (to !== undefined && to !== from) others.set(to, `${source} → ${resolved}`);
    }
  }
  const reaches = (from, goal, passed = new Set()) =>
    [...(graph.get(from)?.keys() ?? [])].some(
      (to) => to === goal || (!passed.has(to) && reaches(to, goal, passed.add(to))),
    );
  const advice = 'Features that need each other should be one feature, or receive what they need as a parameter.';
  return [...graph].flatMap(([from, others]) =>
    [...others]
      .filter(([to]) => reaches(to, from))
      .map(([, path]) => `no-cycles-between-features: ${path}\n  ${advice}`),
  );
}
