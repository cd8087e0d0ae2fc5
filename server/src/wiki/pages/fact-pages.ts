import { code, openPage, plain, type PageText } from '../markdown.ts';
import type { Document, FileFact, WikiPage } from '../material.ts';
import { isTest } from '../modules.ts';
import type { Survey } from '../survey.ts';
import { placeOf, readJson, textAt } from './manifest.ts';
import { counted } from './module-page.ts';

type Kind = WikiPage['kind'];

function finished(all: Survey, page: PageText, kind: Kind, title: string, summary: string): WikiPage | undefined {
  const { body, cited } = page.end();
  if (cited.length === 0) return undefined;
  const blobs = cited.flatMap((path) => all.blobs.get(path) ?? []).slice(0, 2_000);
  return { slug: kind, parent: 'overview', kind, title, summary, body, blobs };
}

/** Commands to install, build, test and run, and what CI runs. */
export function commandsPage(all: Survey): WikiPage | undefined {
  const page = openPage(all.lines);
  for (const document of all.material.documents) {
    const { path } = document;
    page.heading(code(path));
    if (path.endsWith('package.json')) scripts(document, page);
    else if (/(?:^|\/)(?:GNU)?makefile$/i.test(path)) matching(document, page, /^[A-Za-z][\w.-]{0,80}:(?!=)/);
    else if (/(?:^|\/)\.?justfile$/i.test(path)) matching(document, page, /^[a-z][\w-]{0,80}[^:=]{0,100}:(?!=)/);
    else if (/^\.github\/workflows\/|^\.gitlab-ci\.yml$/.test(path))
      matching(document, page, /^\s*(?:-\s+)?(?:name|run|script):\s*\S/);
    else if (/(?:^|\/)Dockerfile[^/]*$/.test(path)) matching(document, page, /^(?:FROM|RUN|EXPOSE|CMD|ENTRYPOINT)\b/);
    else if (/(?:^|\/)(?:docker-)?compose\.ya?ml$/.test(path))
      matching(document, page, /^\s{2}[\w-]{1,60}:\s*$|^\s+image:/);
  }
  return finished(all, page, 'commands', 'Commands and CI', 'How to install, build, test and run it.');
}

function scripts(document: Document, page: PageText): void {
  const { scripts: found } = readJson(document);
  if (typeof found !== 'object' || found === null) return;
  for (const [name, command] of Object.entries(found).slice(0, 40))
    page.entry(
      placeOf(document, `"${name}"`, '"scripts"'),
      code(`npm run ${name}`),
      `runs ${code(String(command), 160)}`,
    );
}

function matching({ path, text }: Document, page: PageText, wanted: RegExp): void {
  const lines = text.split('\n').slice(0, 2_000);
  let count = 0;
  for (let index = 0; index < lines.length && count < 40; index += 1) {
    const line = textAt(lines, index);
    if (wanted.test(line) && page.entry({ path, line: index + 1 }, code(line.trim().replace(/^-\s+/, ''), 160)))
      count += 1;
  }
}

/** Environment variables, with the places that read them. */
export function configurationPage(all: Survey): WikiPage | undefined {
  const page = openPage(all.lines);
  const facts = all.material.facts.filter(({ kind, path }) => kind === 'env' && !isTest(path));
  const byName = Map.groupBy(facts, ({ name }) => name);
  page.heading('Environment variables');
  for (const [name, places] of [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, 300)) {
    const [first, ...others] = places;
    if (first === undefined) continue;
    const more = others.slice(0, 2).map(({ path, line }) => page.cite({ path, line }));
    const where = [code(first.path), ...more].join(', ');
    page.entry(
      first,
      code(name),
      `read in ${where}${places.length > 3 ? ` and ${counted(places.length - 3, 'more place')}` : ''}`,
    );
  }
  page.heading('Examples');
  for (const { path, text } of all.material.documents.filter((one) =>
    /(?:^|\/)\.env\.(?:example|sample|template)$/.test(one.path),
  ))
    for (const [index, line] of text.split('\n').slice(0, 300).entries()) {
      const [, name] = /^(?:#\s{0,20})?([A-Z][A-Z0-9_]{1,80})=/.exec(line.slice(0, 500).trimStart()) ?? [];
      if (name !== undefined) page.entry({ path, line: index + 1 }, code(name));
    }
  return finished(
    all,
    page,
    'configuration',
    'Configuration',
    `${counted(byName.size, 'environment variable')} that it reads.`,
  );
}

/** HTTP routes and the schema of data, as far as they are recognized. */
export function interfacesPage(all: Survey): WikiPage | undefined {
  const page = openPage(all.lines);
  const routes = all.material.facts.filter(({ kind, path }) => kind === 'route' && !isTest(path));
  page.heading('HTTP routes');
  for (const fact of routes.toSorted(byRoute).slice(0, 400))
    page.entry(fact, code(`${fact.detail} ${fact.name}`.trim()), `in ${code(fact.path)}`);
  page.heading('Schema');
  let count = 0;
  for (const { path, text } of all.material.documents) {
    if (!/\.(?:sql|prisma|graphqls?|proto)$/.test(path)) continue;
    for (const [index, raw] of text.split('\n').slice(0, 20_000).entries()) {
      const [, name] = definition.exec(raw.slice(0, 300)) ?? [];
      if (name === undefined || count >= 400) continue;
      if (page.entry({ path, line: index + 1 }, code(name), `in ${code(path)}`)) count += 1;
    }
  }
  const summary = `${counted(routes.length, 'route')} and ${counted(count, 'definition')} of data.`;
  return finished(all, page, 'interfaces', 'Routes and schema', summary);
}

const definition =
  /^\s*(?:create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?["`[]?|model\s+|type\s+|message\s+|service\s+|enum\s+)([\w.]{1,100})/i;

function byRoute(a: FileFact, b: FileFact): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.detail < b.detail ? -1 : 1;
}

/** Hot spots: large files that change often; and the latest changes. */
export function activityPage(all: Survey): WikiPage | undefined {
  const page = openPage(all.lines);
  const { commits, files } = all.material;
  page.note(`Of the last ${counted(commits.length, 'commit')}, merges left out.`);
  page.heading('Hot spots');
  const hot = files
    .map((file) => ({ ...file, changes: all.churn.get(file.path) ?? 0 }))
    .filter(({ changes, path }) => changes > 1 && !isTest(path))
    .toSorted((a, b) => b.changes * b.lines - a.changes * a.lines);
  for (const { path, lines, changes } of hot.slice(0, 20))
    page.entry({ path, line: 1 }, code(path), `${counted(changes, 'change')}, ${counted(lines, 'line')}`);
  page.heading('Recent changes');
  for (const { sha, date, subject, paths } of commits.slice(0, 15)) {
    const there = paths.filter((path) => all.lines.has(path));
    const [first] = there;
    if (first === undefined) continue;
    const more = there.length > 1 ? ` and ${counted(there.length - 1, 'more file')}` : '';
    page.entry(
      { path: first, line: 1 },
      code(first),
      `${more}: ${plain(subject, 200)} (${code(sha.slice(0, 10))}, ${code(date)})`.trim(),
    );
  }
  return finished(all, page, 'activity', 'Activity', 'Files that change most, and the latest changes.');
}
