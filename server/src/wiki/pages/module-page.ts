import { code, oneLine, openPage, plain, type PageText } from '../markdown.ts';
import type { WikiPage } from '../material.ts';
import { isTest } from '../modules.ts';
import { firstSection, readmeOf } from '../readme.ts';
import { byRank, type Survey, type SurveyedModule } from '../survey.ts';

const mostSymbols = 120;
const mostFiles = 100;

/** The page of one module: what it is for, what it offers, who uses it, and how it changed. */
export function modulePage(all: Survey, module: SurveyedModule): WikiPage {
  const page = openPage(all.lines);
  const summary = introduce(all, module, page);
  keyFiles(all, module, page);
  offers(all, module, page);
  relations(all, module, page);
  rest(all, module, page);
  const { body, cited } = page.end();
  const own = [...module.files, ...module.tests].map(({ path }) => path);
  const blobs = [...new Set([...own, ...cited])].flatMap((path) => all.blobs.get(path) ?? []);
  return {
    slug: module.slug,
    parent: 'overview',
    kind: 'module',
    title: oneLine(module.title, 300),
    summary,
    body,
    blobs: [...new Set(blobs)].toSorted().slice(0, 2_000),
  };
}

/** Says what the module is for in its own words: its README's, else its most used definitions' comments. */
function introduce(all: Survey, module: SurveyedModule, page: PageText): string {
  const readme = readmeOf(all.document, module.path);
  const section = readme === undefined || module.path === '' ? undefined : firstSection(readme);
  const lines = module.files.reduce((sum, file) => sum + file.lines, 0);
  const size = `${counted(module.files.length, 'file')}, ${counted(lines, 'line')}${module.tests.length === 0 ? '' : `, and ${counted(module.tests.length, 'test file')}`}`;
  const shown = module.files.length === 0 ? counted(module.tests.length, 'test file') : size;
  page.note(`${shown}.`);
  for (const { text, place } of section?.paragraphs.slice(0, 4) ?? [])
    page.note(`${plain(text, 800)} ${page.cite(place)}`);
  const main = mainSymbols(all, module)
    .slice(0, 3)
    .find(({ doc }) => doc !== '');
  const about = section?.paragraphs[0]?.text ?? main?.doc ?? '';
  const names = byRank(all, module.files.length === 0 ? module.tests : module.files).map(({ path }) =>
    inModule(module, path),
  );
  const listed = `${shown}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
  return plain(about === '' ? listed : about, 250).slice(0, 600);
}

function mainSymbols(all: Survey, module: SurveyedModule) {
  return byRank(all, module.files).flatMap(({ path }) => all.symbolsOf.get(path) ?? []);
}

function keyFiles(all: Survey, module: SurveyedModule, page: PageText): void {
  page.heading('Files');
  const files = byRank(all, module.files);
  for (const { path, lines } of files.slice(0, mostFiles)) {
    const symbols = all.symbolsOf.get(path) ?? [];
    const names = symbols.slice(0, 4).map(({ name }) => code(name, 60));
    const more = symbols.length > names.length ? ` and ${symbols.length - names.length} more` : '';
    const users = new Set((all.usedBy.get(path) ?? []).map(({ from }) => from)).size;
    const facts = [
      counted(lines, 'line'),
      ...(users === 0 ? [] : [`used by ${counted(users, 'file')}`]),
      ...(names.length === 0 ? [] : [`has ${names.join(', ')}${more}`]),
    ];
    page.entry({ path, line: 1 }, code(inModule(module, path)), `(${facts.join('; ')})`);
  }
  if (files.length > mostFiles) page.note(`\nAnd ${counted(files.length - mostFiles, 'file')} more.`);
}

function offers(all: Survey, module: SurveyedModule, page: PageText): void {
  page.heading('What it offers');
  const symbols = mainSymbols(all, module);
  for (const { path, line, kind, signature, name, doc } of symbols.slice(0, mostSymbols)) {
    const shown = signature
      .trimEnd()
      .replace(/[\s{=:[(]{1,99}$/, '')
      .trimEnd()
      .replace(/^export\s+(?:default\s+)?/, '');
    page.entry(
      { path, line },
      code(shown === '' ? name : shown, 160),
      [kind, plain(doc, 300)].filter(Boolean).join(': '),
    );
  }
  if (symbols.length > mostSymbols) page.note(`\nAnd ${counted(symbols.length - mostSymbols, 'definition')} more.`);
}

function relations(all: Survey, module: SurveyedModule, page: PageText): void {
  page.heading('Uses');
  for (const { to, weight, first } of all.moduleUses.filter(({ from }) => from === module).slice(0, 30))
    page.entry(
      { path: first.from, line: first.line },
      code(to.title),
      `${counted(weight, 'import')}; [its page](${to.slug})`,
    );
  page.heading('Used by');
  for (const { from, weight, first } of all.moduleUses.filter(({ to }) => to === module).slice(0, 30))
    page.entry(
      { path: first.from, line: first.line },
      code(from.title),
      `${counted(weight, 'import')}; [its page](${from.slug})`,
    );
  page.heading('Packages');
  const packages = new Map<string, { path: string; line: number; count: number }>();
  for (const { from, name, line } of all.externals) {
    if (all.moduleOf.get(from) !== module || name.startsWith('node:')) continue;
    const known = packages.get(name);
    if (known === undefined) packages.set(name, { path: from, line, count: 1 });
    else known.count += 1;
  }
  for (const [name, { count, ...place }] of [...packages].toSorted(([, a], [, b]) => b.count - a.count).slice(0, 15))
    page.entry(place, code(name), `in ${counted(count, 'import')}`);
}

function rest(all: Survey, module: SurveyedModule, page: PageText): void {
  page.heading('Tests');
  for (const path of testsOf(all, module).slice(0, 30)) page.entry({ path, line: 1 }, code(path));
  const facts = module.files.flatMap(({ path }) => all.factsOf.get(path) ?? []);
  page.heading('Routes');
  for (const { path, line, name, detail } of facts.filter(({ kind }) => kind === 'route').slice(0, 60))
    page.entry({ path, line }, code(`${detail} ${name}`.trim()));
  page.heading('Environment variables');
  for (const { path, line, name } of facts.filter(({ kind }) => kind === 'env').slice(0, 40))
    page.entry({ path, line }, code(name));
  page.heading('Owners');
  const first = module.files[0] ?? module.tests[0];
  const owner = first === undefined ? undefined : all.owners.of(first.path);
  if (owner !== undefined) page.entry(owner, code(owner.owners));
  page.heading('Changed most often');
  const changed = module.files
    .map(({ path }) => ({ path, count: all.churn.get(path) ?? 0 }))
    .filter(({ count }) => count > 1)
    .toSorted((a, b) => b.count - a.count);
  for (const { path, count } of changed.slice(0, 5))
    page.entry(
      { path, line: 1 },
      code(inModule(module, path)),
      `in ${count} of the last ${counted(all.material.commits.length, 'commit')}`,
    );
}

/** The module's tests, and those elsewhere that import its files. */
function testsOf(all: Survey, module: SurveyedModule): string[] {
  const tests = new Set(module.tests.map(({ path }) => path));
  for (const { path } of module.files)
    for (const { from } of all.usedBy.get(path) ?? []) if (isTest(from)) tests.add(from);
  return [...tests];
}

function inModule({ path: directory }: { path: string }, path: string): string {
  return directory !== '' && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
