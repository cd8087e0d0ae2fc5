import { languageOf } from '../../symbols/languages.ts';
import { code, oneLine, openPage, plain, type PageText, type Place } from '../markdown.ts';
import type { Document, SourceFile, WikiPage } from '../material.ts';
import { isTest } from '../modules.ts';
import { firstSection, readmeOf } from '../readme.ts';
import { byRank, type Survey } from '../survey.ts';
import { placeOf, readJson, textAt } from './manifest.ts';
import { counted } from './module-page.ts';

/** The first page: what the repository is, how large, where it starts, and its modules. */
export function overviewPage(all: Survey, summaries: ReadonlyMap<string, string>): WikiPage {
  const page = openPage(all.lines);
  const readme = readmeOf(all.document, '');
  const section = readme === undefined ? undefined : firstSection(readme);
  const description = descriptionOf(all, page);
  for (const { text, place } of section?.paragraphs ?? []) page.note(`${plain(text, 1_000)} ${page.cite(place)}`);
  if (all.steering.problem !== '') page.note(`*${plain(all.steering.problem)}*`);
  licence(all, page);
  page.heading('Where it starts');
  for (const { place, label, rest } of entryPoints(all)) page.entry(place, label, rest);
  page.heading('Read first');
  const central = byRank(
    all,
    all.material.files.filter(({ path }) => !isTest(path)),
  ).slice(0, 8);
  for (const { path } of central) {
    const users = new Set((all.usedBy.get(path) ?? []).map(({ from }) => from)).size;
    const symbol = (all.symbolsOf.get(path) ?? []).find(({ doc }) => doc !== '');
    if (users > 1)
      page.entry(
        { path, line: 1 },
        code(path),
        `used by ${counted(users, 'file')}${symbol === undefined ? '' : `. ${code(symbol.name)}: ${plain(symbol.doc, 200)}`}`,
      );
  }
  modules(all, page, summaries);
  languages(all.material.files, page);
  const { body, cited } = page.end();
  const summary = plain(description || (section?.paragraphs[0]?.text ?? all.material.repo), 250).slice(0, 600);
  const blobs = cited.flatMap((path) => all.blobs.get(path) ?? []);
  const title = (section?.title === '' ? undefined : section?.title) ?? all.material.repo;
  return { slug: 'overview', parent: '', kind: 'overview', title: oneLine(title, 100), summary, body, blobs };
}

/** States the manifest's own sentence about the project, and returns it; `''` for none. */
function descriptionOf({ document }: Survey, page: PageText): string {
  const manifest = document.get('package.json');
  const { description } = manifest === undefined ? {} : readJson(manifest);
  if (manifest === undefined || typeof description !== 'string' || description.trim() === '') return '';
  page.note(`${plain(description, 400)} ${page.cite(placeOf(manifest, '"description"'))}`);
  return description;
}

function licence({ document, material }: Survey, page: PageText): void {
  const file = material.documents.find(({ path }) => /^(?:LICEN[CS]E|COPYING)(?:\.\w+)?$/i.test(path));
  page.heading('Licence');
  if (file !== undefined) {
    const lines = file.text.split('\n').slice(0, 30);
    const line = lines.findIndex((text) => text.trim() !== '');
    page.entry({ path: file.path, line: line + 1 }, code(lines[line] ?? '', 100));
  }
  const manifest = document.get('package.json');
  const { license } = manifest === undefined ? {} : readJson(manifest);
  if (manifest !== undefined && typeof license === 'string')
    page.entry(placeOf(manifest, '"license"'), code(license), 'in the manifest');
}

interface EntryPoint {
  place: Place;
  label: string;
  rest: string;
}

/** Lists the places that manifests and conventions name as the start of a program or library. */
function entryPoints({ material, lines }: Survey): EntryPoint[] {
  const found: EntryPoint[] = [];
  for (const document of material.documents) {
    const { path } = document;
    if (found.length >= 30) break;
    if (path.endsWith('package.json')) found.push(...packageEntries(document));
    if (path.endsWith('pyproject.toml'))
      found.push(...lineEntries(document, /^[\w-]{1,100}\s*=\s*"[\w.]+:\w+"/, 'a command'));
    if (/(?:^|\/)Dockerfile[^/]*$/.test(path))
      found.push(...lineEntries(document, /^(?:ENTRYPOINT|CMD)\b/, 'of the image'));
    if (path.endsWith('Cargo.toml')) found.push(...lineEntries(document, /^\[\[?(?:bin|lib)\]\]?/, 'of the crate'));
  }
  for (const name of [
    'main.go',
    'main.ts',
    'src/main.rs',
    'src/lib.rs',
    'main.py',
    'app.py',
    'manage.py',
    '__main__.py',
  ])
    for (const path of [...lines.keys()].filter((one) => one === name || one.endsWith(`/${name}`)).slice(0, 5))
      found.push({ place: { path, line: 1 }, label: code(path), rest: 'by its name' });
  return found.slice(0, 30);
}

function packageEntries(document: Document): EntryPoint[] {
  const { main, module, bin, name } = readJson(document);
  const entry = (field: string, value: unknown): EntryPoint[] =>
    typeof value === 'string'
      ? [
          {
            place: placeOf(document, `"${field}"`),
            label: code(value),
            rest: `${field} of ${code(typeof name === 'string' ? name : document.path)}`,
          },
        ]
      : [];
  const programs = typeof bin === 'object' && bin !== null ? Object.entries(bin).slice(0, 5) : [];
  return [
    ...entry('main', main),
    ...entry('module', module),
    ...entry('bin', bin),
    ...programs.flatMap(([command, value]) => entry(command, value)),
  ];
}

function lineEntries(document: Document, wanted: RegExp, rest: string): EntryPoint[] {
  const lines = document.text.split('\n').slice(0, 2_000);
  return lines
    .flatMap((_, index) => {
      const text = textAt(lines, index);
      return wanted.test(text) ? [{ place: { path: document.path, line: index + 1 }, label: code(text), rest }] : [];
    })
    .slice(0, 5);
}

function modules(all: Survey, page: PageText, summaries: ReadonlyMap<string, string>): void {
  page.heading('Modules');
  const ranked = all.modules.toSorted(
    (a, b) => (all.moduleRanks.get(b.path) ?? 0) - (all.moduleRanks.get(a.path) ?? 0),
  );
  const link = ({ title, slug }: { title: string; slug: string }): string => `[${plain(title, 120)}](${slug})`;
  const rows = ranked
    .filter(({ files }) => files.length > 0)
    .map((module) => {
      const size = [...module.files, ...module.tests].reduce((sum, { lines }) => sum + lines, 0);
      return [link(module), summaries.get(module.slug) ?? '', size.toLocaleString('en')];
    });
  page.note('The modules that the others use most come first.');
  page.table(['module', 'what it is', 'lines'], rows);
  const tests = ranked.filter(({ files }) => files.length === 0);
  if (tests.length > 0) page.note(`Only tests: ${tests.map(link).join(', ')}.`);
}

function languages(files: readonly SourceFile[], page: PageText): void {
  const byLanguage = new Map<string, { files: number; lines: number; largest: SourceFile }>();
  for (const file of files) {
    const language = languageOf(file.path) ?? 'other';
    const known = byLanguage.get(language) ?? { files: 0, lines: 0, largest: file };
    const largest = file.lines > known.largest.lines ? file : known.largest;
    byLanguage.set(language, { files: known.files + 1, lines: known.lines + file.lines, largest });
  }
  page.heading('Languages');
  const rows = [...byLanguage].toSorted(([, a], [, b]) => b.lines - a.lines);
  page.table(
    ['language', 'files', 'lines', 'largest file'],
    rows.map(([name, one]) => [
      name,
      one.files.toLocaleString('en'),
      one.lines.toLocaleString('en'),
      page.cite({ path: one.largest.path, line: 1 }, code(one.largest.path)),
    ]),
  );
}
