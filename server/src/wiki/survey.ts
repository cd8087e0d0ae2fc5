import { slugOf } from '../lib/slug.ts';
import type { Document, ExportedSymbol, FileFact, Material, SourceFile } from './material.ts';
import { isTest, modulesOf, type Module } from './modules.ts';
import { openOwners, type Owners } from './owners.ts';
import { pageRank } from './rank.ts';
import { resolveImports, type External, type Use } from './resolve-imports.ts';
import { readSteering, type Steering } from './steering.ts';

/** That one module uses another: how often, and the first import. */
export interface ModuleUse {
  from: SurveyedModule;
  to: SurveyedModule;
  weight: number;
  first: Use;
}

export interface SurveyedModule extends Module {
  slug: string;
  title: string;
}

/** The knowledge that the pages of a wiki share. */
export interface Survey {
  material: Material;
  steering: Steering;
  modules: SurveyedModule[];
  moduleOf: ReadonlyMap<string, SurveyedModule>;
  moduleUses: ModuleUse[];
  moduleRanks: ReadonlyMap<string, number>;
  fileRanks: ReadonlyMap<string, number>;
  usedBy: ReadonlyMap<string, Use[]>;
  usesOf: ReadonlyMap<string, Use[]>;
  externals: External[];
  symbolsOf: ReadonlyMap<string, ExportedSymbol[]>;
  factsOf: ReadonlyMap<string, FileFact[]>;
  document: ReadonlyMap<string, Document>;
  /** Commits of the read history that changed a file. */
  churn: ReadonlyMap<string, number>;
  owners: Owners;
  /** Every file that a link may name, with its number of lines. */
  lines: ReadonlyMap<string, number>;
  blobs: ReadonlyMap<string, string>;
}

export function survey(given: Material): Survey {
  const steering = readSteering(given.documents);
  const material = without(given, steering.exclude);
  const { files, documents, commits } = material;
  const modules = named(modulesOf(files));
  const moduleOf = new Map(
    modules.flatMap((one) => [...one.files, ...one.tests].map(({ path }) => [path, one] as const)),
  );
  const { uses, externals } = resolveImports(material);
  const moduleUses = usesBetween(uses, moduleOf);
  const nodes = modules.map(({ path }) => path);
  const edges = moduleUses.map(({ from, to, weight }) => ({ from: from.path, to: to.path, weight }));
  const lines = new Map(files.map(({ path, lines: count }) => [path, count]));
  for (const { path, text } of documents) lines.set(path, linesIn(text));
  const churn = new Map<string, number>();
  for (const { paths } of commits) for (const path of paths) churn.set(path, (churn.get(path) ?? 0) + 1);
  return {
    material,
    steering,
    modules,
    moduleOf,
    moduleUses,
    moduleRanks: pageRank(nodes, edges),
    fileRanks: pageRank(
      files.map(({ path }) => path),
      uses.map(({ from, to }) => ({ from, to, weight: 1 })),
    ),
    usedBy: grouped(uses, ({ to }) => to),
    usesOf: grouped(uses, ({ from }) => from),
    externals,
    symbolsOf: grouped(material.symbols, ({ path }) => path),
    factsOf: grouped(material.facts, ({ path }) => path),
    document: new Map(documents.map((one) => [one.path, one])),
    churn,
    owners: openOwners(documents),
    lines,
    blobs: new Map([...files, ...documents].map(({ path, blob }) => [path, blob])),
  };
}

function without(material: Material, exclude: readonly string[]): Material {
  const isKept = ({ path }: { path: string }): boolean =>
    !exclude.some((one) => path === one || path.startsWith(`${one}/`));
  return {
    ...material,
    files: material.files.filter(isKept),
    symbols: material.symbols.filter(isKept),
    facts: material.facts.filter(isKept),
    documents: material.documents.filter(isKept),
  };
}

function named(modules: readonly Module[]): SurveyedModule[] {
  const taken = new Set<string>();
  return modules.map((one) => {
    const base = `module-${slugOf(one.path, 80) || 'root'}`;
    let slug = base;
    for (let count = 2; taken.has(slug); count += 1) slug = `${base}-${count}`;
    taken.add(slug);
    return { ...one, slug, title: one.path === '' ? 'Top directory' : one.path };
  });
}

function usesBetween(uses: readonly Use[], moduleOf: ReadonlyMap<string, SurveyedModule>): ModuleUse[] {
  const found = new Map<string, ModuleUse>();
  for (const use of uses) {
    const [from, to] = [moduleOf.get(use.from), moduleOf.get(use.to)];
    if (from === undefined || to === undefined || from === to || isTest(use.from)) continue;
    const key = `${from.path}\0${to.path}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { from, to, weight: 1, first: use });
    else known.weight += 1;
  }
  return [...found.values()].toSorted((a, b) => b.weight - a.weight);
}

function grouped<T>(all: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(key(one));
    if (group === undefined) groups.set(key(one), [one]);
    else group.push(one);
  }
  return groups;
}

function linesIn(text: string): number {
  const count = text.split('\n').length;
  return text.endsWith('\n') ? count - 1 : count;
}

/** A module's files, those that much uses first. */
export function byRank({ fileRanks }: Pick<Survey, 'fileRanks'>, files: readonly SourceFile[]): SourceFile[] {
  return files.toSorted((a, b) => (fileRanks.get(b.path) ?? 0) - (fileRanks.get(a.path) ?? 0) || b.lines - a.lines);
}
