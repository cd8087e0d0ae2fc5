import { code, openPage } from '../markdown.ts';
import type { WikiPage } from '../material.ts';
import type { Survey } from '../survey.ts';
import { counted } from './module-page.ts';

const mostNodes = 30;
const mostEdges = 60;

/** The dependencies between modules: a diagram of the most used ones, and the import behind each arrow. */
export function architecturePage(all: Survey): WikiPage | undefined {
  const ranked = all.modules
    .filter((module) => all.moduleUses.some(({ from, to }) => from === module || to === module))
    .toSorted((a, b) => (all.moduleRanks.get(b.path) ?? 0) - (all.moduleRanks.get(a.path) ?? 0))
    .slice(0, mostNodes);
  if (ranked.length < 2) return undefined;
  const number = new Map(ranked.map((module, index) => [module, index]));
  const edges = all.moduleUses.filter(({ from, to }) => number.has(from) && number.has(to)).slice(0, mostEdges);
  const page = openPage(all.lines);
  page.note(
    `Modules and their imports, without tests. The diagram shows the ${ranked.length} modules that the others use most, and their ${edges.length} strongest dependencies.`,
  );
  page.fence(
    'mermaid',
    [
      'flowchart TD',
      ...ranked.map(({ title }, index) => `  n${index}["${label(title)}"]`),
      ...edges.map(({ from, to }) => `  n${number.get(from) ?? 0} --> n${number.get(to) ?? 0}`),
    ].join('\n'),
  );
  page.heading('Dependencies');
  for (const { from, to, weight, first } of edges)
    page.entry(
      { path: first.from, line: first.line },
      `${code(from.title)} uses ${code(to.title)}`,
      `in ${counted(weight, 'import')}`,
    );
  const cycles = edges.filter(
    ({ from, to }) => from.path < to.path && edges.some((back) => back.from === to && back.to === from),
  );
  page.heading('Modules that use each other');
  for (const { from, to, first } of cycles)
    page.entry({ path: first.from, line: first.line }, `${code(from.title)} and ${code(to.title)}`);
  const { body, cited } = page.end();
  return {
    slug: 'architecture',
    parent: 'overview',
    kind: 'architecture',
    title: 'Architecture',
    summary: `${counted(all.modules.length, 'module')} and how they depend on one another.`,
    body,
    blobs: cited.flatMap((path) => all.blobs.get(path) ?? []).slice(0, 2_000),
  };
}

/** Mermaid has a syntax of its own; names keep only signs without a meaning in it. */
function label(title: string): string {
  return title.replaceAll(/[^\w./@ -]/g, '_').slice(-60);
}
