import { slugOf } from '../../lib/slug.ts';
import { code, oneLine, openPage, plain } from '../markdown.ts';
import type { WikiPage } from '../material.ts';
import type { Survey, SurveyedModule } from '../survey.ts';
import { placeOf } from './manifest.ts';
import { counted } from './module-page.ts';
import { trimOf } from '../../lib/trim.ts';

/** The pages that the repository's steering file asks for. */
export function steeredPages(all: Survey): WikiPage[] {
  const { pages, path } = all.steering;
  const file = all.document.get(path);
  if (file === undefined) return [];
  const slugs = new Map<string, string>();
  for (const { title } of pages) if (!slugs.has(title)) slugs.set(title, `page-${slugOf(title, 80) || slugs.size}`);
  return pages.flatMap(({ title, purpose = '', parent = '', paths }, index) => {
    const slug = slugs.get(title) ?? '';
    // Two titles may have one slug; the first page has it.
    if (pages.slice(0, index).some((before) => slugs.get(before.title) === slug)) return [];
    const page = openPage(all.lines);
    page.entry(
      placeOf(file, JSON.stringify(title)),
      code(file.path),
      `asks for this page${purpose === '' ? '' : `: ${plain(purpose, 1_000)}`}`,
    );
    page.heading('Modules');
    const modules = modulesFor(all, paths, `${title} ${purpose}`);
    for (const module of modules) {
      const first = module.files[0] ?? module.tests[0];
      if (first !== undefined)
        page.entry(
          { path: first.path, line: 1 },
          code(module.title),
          `${counted(module.files.length, 'file')}; [its page](${module.slug})`,
        );
    }
    const { body, cited } = page.end();
    const own = modules.flatMap(({ files }) => files.map((one) => one.path));
    const blobs = [...new Set([...cited, ...own])].flatMap((one) => all.blobs.get(one) ?? []).slice(0, 2_000);
    const above = slugs.get(parent) ?? 'overview';
    const summary = plain(purpose, 250).slice(0, 600);
    return [
      {
        slug,
        parent: above === slug ? 'overview' : above,
        kind: 'steered' as const,
        title: oneLine(title, 200),
        summary,
        body,
        blobs,
      },
    ];
  });
}

/** The modules at these paths; without paths those that the text names. */
function modulesFor({ modules }: Survey, paths: readonly string[] | undefined, text: string): SurveyedModule[] {
  if (paths !== undefined)
    return modules.filter((module) =>
      paths.some((path) => {
        const bare = trimOf(path, '/');
        return (
          module.path === bare || module.path.startsWith(`${bare}/`) || module.files.some((one) => one.path === bare)
        );
      }),
    );
  const words = new Set(text.toLowerCase().match(/[a-z][a-z0-9_-]{3,}/g) ?? []);
  return modules.filter(({ path }) => words.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase())).slice(0, 20);
}
