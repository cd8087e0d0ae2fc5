import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { identifiersOf, lastName, namesOf } from './knowledge-names.ts';
import { sectionsOf } from './knowledge-sections.ts';

/** A section of a documentation page, as a knowledge note. */
export interface Page {
  package: string;
  name: string;
  trigger: string;
  body: string;
  /** The last parts of the names that its heading documents. */
  documents: ReadonlySet<string>;
}

/** A line of a changelog, and the pages that document what it names, as indices in the corpus. */
export interface Prompt {
  package: string;
  text: string;
  labels: readonly number[];
}

export interface Corpus {
  pages: readonly Page[];
  prompts: readonly Prompt[];
}

const isChangelog = /^(changelog|changes|history|release-?notes)/i;
const isAside = /^(license|contributing|code_of_conduct|security|authors|governance|migrat)/i;
/** A line whose names more pages document is about none of them. */
const mostLabels = 5;
/**
 * Limits per package and per page, so that none dominates the figures: changelogs often repeat themselves about one
 * function.
 */
const mostPrompts = 40;
const mostOfOnePage = 3;

/**
 * Reads the documentation of all packages below `directory`. Both texts are the packages' own, and the labels are
 * mechanical: a page is a label of a prompt if its HEADING documents, as code or as a signature, a name that the line
 * mentions as code, in the same package. Pages that only mention the name are not labels.
 */
export function readCorpus(directory: string, shuffle: <Item>(items: readonly Item[]) => Item[]): Corpus {
  const pages: Page[] = [];
  const prompts: Prompt[] = [];
  for (const name of packagesIn(directory)) {
    const files = globSync('**/*.{md,mdx}', {
      cwd: join(directory, name),
      exclude: (path) => path === 'node_modules',
    }).sort();
    const own = pages.length;
    for (const file of files)
      if (!isChangelog.test(basename(file)) && !isAside.test(basename(file)))
        pages.push(...pagesOf(name, readFileSync(join(directory, name, file), 'utf8')));
    const lines = files
      .filter((file) => isChangelog.test(basename(file)))
      .flatMap((file) => linesOf(readFileSync(join(directory, name, file), 'utf8')));
    const labelled = [...new Set(lines)].flatMap((text) => promptOf(name, text, pages, own));
    prompts.push(...spread(shuffle(labelled)).slice(0, mostPrompts));
  }
  return { pages, prompts };
}

function spread(prompts: readonly Prompt[]): Prompt[] {
  const seen = new Map<string, number>();
  return prompts.filter(({ labels }) => {
    const count = (seen.get(labels.join()) ?? 0) + 1;
    seen.set(labels.join(), count);
    return count <= mostOfOnePage;
  });
}

function packagesIn(directory: string): string[] {
  return globSync(['*/package.json', '@*/*/package.json'], { cwd: directory })
    .map((path) => path.slice(0, -'/package.json'.length))
    .filter((name) => !name.startsWith('.') && !name.startsWith('@guildhall/'))
    .sort();
}

function pagesOf(name: string, text: string): Page[] {
  return sectionsOf(text).map(({ heading, path, body }) => ({
    package: name,
    name: heading.text.slice(0, 200),
    trigger: `${[name, ...path].join(' > ')}. ${firstSentence(body)}`.slice(0, 2_000),
    body: body.slice(0, 100_000),
    documents: new Set(namesOf(heading.source).map(lastName)),
  }));
}

function firstSentence(body: string): string {
  const paragraph =
    body
      .replace(/^```.*?^```/gms, '')
      .trim()
      .split(/\n\s*\n/)[0] ?? '';
  return (/^.*?[.!?](?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph).replace(/\s+/g, ' ');
}

/** Returns the bullets, each up to its first blank line. */
function linesOf(text: string): string[] {
  return [...text.matchAll(/^\s*[-*+]\s+(\S.*(?:\n(?!\s*[-*+#]\s|\s*\n).*)*)/gm)]
    .map(([, line = '']) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line.length >= 20 && line.length <= 2_000);
}

function promptOf(name: string, text: string, pages: readonly Page[], from: number): Prompt[] {
  const named = [...new Set(identifiersOf(text).map(lastName))];
  const labels: number[] = [];
  for (let at = from; at < pages.length; at += 1)
    if (named.some((one) => pages[at]?.documents.has(one))) labels.push(at);
  return labels.length === 0 || labels.length > mostLabels ? [] : [{ package: name, text, labels }];
}
