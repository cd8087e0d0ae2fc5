import { languageOf, type Language } from '../symbols/languages.ts';
import type { Document, Material } from './material.ts';

/** One file uses another one. */
export interface Use {
  from: string;
  to: string;
  /** The line of the import. */
  line: number;
}

/** An import of a package from elsewhere. */
export interface External {
  from: string;
  name: string;
  line: number;
}

const scriptEndings = ['', '.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.d.ts'];

/** Resolves imports to files of the repository, as far as their names alone say it. */
export function resolveImports({ files, facts, documents }: Material): { uses: Use[]; externals: External[] } {
  const known = lookup(
    files.map(({ path }) => path),
    documents,
  );
  const uses: Use[] = [];
  const externals: External[] = [];
  for (const { kind, path: from, name, line } of facts) {
    const language = languageOf(from);
    if (kind !== 'import' || language === undefined) continue;
    const to = resolvers[language]?.(known, from, name);
    if (to !== undefined && to !== from) uses.push({ from, to, line });
    const external = to === undefined ? externalName(language, name) : '';
    if (external !== '') externals.push({ from, name: external, line });
  }
  return { uses, externals };
}

interface Known {
  paths: ReadonlySet<string>;
  /** The first path that ends with this, after a slash. */
  bySuffix: ReadonlyMap<string, string>;
  /** The first file of a directory. */
  inDirectory: ReadonlyMap<string, string>;
  /** Directories of JavaScript packages, by name. */
  packages: ReadonlyMap<string, string>;
  /** The Go module and its directory. */
  goModules: readonly (readonly [name: string, directory: string])[];
}

function lookup(paths: readonly string[], documents: readonly Document[]): Known {
  const bySuffix = new Map<string, string>();
  const inDirectory = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split('/');
    // Names of modules rarely have more parts.
    for (let at = Math.max(0, parts.length - 6); at < parts.length; at += 1) {
      const suffix = parts.slice(at).join('/');
      if (!bySuffix.has(suffix)) bySuffix.set(suffix, path);
    }
    const directory = directoryOf(path);
    if (!inDirectory.has(directory) && !path.endsWith('_test.go')) inDirectory.set(directory, path);
  }
  const packages = new Map<string, string>();
  const goModules: [string, string][] = [];
  for (const { path, text } of documents) {
    if (path.endsWith('package.json')) {
      const [, name = ''] = /"name"\s*:\s*"([^"]{1,200})"/.exec(text.slice(0, 20_000)) ?? [];
      if (name !== '') packages.set(name, directoryOf(path));
    }
    const [, module = ''] = path.endsWith('go.mod') ? (/^module\s+(\S{1,200})/m.exec(text.slice(0, 2_000)) ?? []) : [];
    if (module !== '') goModules.push([module, directoryOf(path)]);
  }
  return { paths: new Set(paths), bySuffix, inDirectory, packages, goModules };
}

type Resolver = (known: Known, from: string, name: string) => string | undefined;

const script: Resolver = (known, from, name) => {
  if (name.startsWith('.')) return scriptFile(known, joined(directoryOf(from), name));
  if (/^[@~#]\//.test(name)) return scriptFile(known, `src/${name.slice(2)}`) ?? scriptFile(known, name.slice(2));
  const parts = name.split('/');
  const directory = known.packages.get(parts.slice(0, name.startsWith('@') ? 2 : 1).join('/'));
  if (directory === undefined) return undefined;
  const rest = parts.slice(name.startsWith('@') ? 2 : 1).join('/');
  return (
    scriptFile(known, joined(directory, rest)) ??
    scriptFile(known, joined(directory, 'src', rest)) ??
    known.inDirectory.get(joined(directory, 'src'))
  );
};

function scriptFile({ paths }: Known, path: string): string | undefined {
  const bare = path.replace(/\.(?:js|jsx|mjs|cjs)$/, '');
  for (const stem of path === bare ? [path] : [path, bare])
    for (const ending of scriptEndings) {
      if (paths.has(stem + ending)) return stem + ending;
      if (ending !== '' && paths.has(joined(stem, `index${ending}`))) return joined(stem, `index${ending}`);
    }
  return undefined;
}

const python: Resolver = (known, from, name) => {
  const [dots = ''] = /^\.*/.exec(name) ?? [];
  const rest = name.slice(dots.length);
  const path = rest.replaceAll('.', '/');
  const candidates = (base: string): string[] => [`${base}.py`, `${base}/__init__.py`];
  if (dots !== '') {
    const base = joined(directoryOf(from), ...Array<string>(dots.length - 1).fill('..'), path);
    return candidates(base).find((one) => known.paths.has(one));
  }
  return candidates(path)
    .map((one) => known.bySuffix.get(one))
    .find((one) => one !== undefined);
};

const rust: Resolver = (known, from, name) => {
  const files = (base: string): string | undefined =>
    [`${base}.rs`, `${base}/mod.rs`].find((one) => known.paths.has(one));
  if (/^\w+$/.test(name))
    return files(joined(directoryOf(from), name)) ?? files(joined(from.replace(/\.rs$/, ''), name));
  const [, rest = ''] = /^crate::([\w:]+)/.exec(name) ?? [];
  const root = /^(.*?\bsrc)\//.exec(from)?.[1];
  if (rest === '' || root === undefined) return undefined;
  const parts = rest.split('::').filter((part) => part !== '');
  for (let count = parts.length; count > 0; count -= 1) {
    const found = files(joined(root, ...parts.slice(0, count)));
    if (found !== undefined) return found;
  }
  return undefined;
};

const go: Resolver = (known, _from, name) => {
  for (const [module, directory] of known.goModules)
    if (name === module || name.startsWith(`${module}/`))
      return known.inDirectory.get(joined(directory, name.slice(module.length)));
  return undefined;
};

const included: Resolver = (known, from, name) => {
  const beside = joined(directoryOf(from), name);
  return known.paths.has(beside) ? beside : known.bySuffix.get(name);
};

const resolvers: Partial<Record<Language, Resolver>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python,
  rust,
  go,
  cpp: included,
  bash: included,
  java: (known, _from, name) => known.bySuffix.get(`${name.replaceAll('.', '/')}.java`),
  php: (known, _from, name) => known.bySuffix.get(`${name.split('\\').slice(-2).join('/')}.php`),
  ruby: (known, from, name) => included(known, from, name.endsWith('.rb') ? name : `${name}.rb`),
};

function externalName(language: Language, name: string): string {
  if (['javascript', 'typescript', 'tsx'].includes(language)) {
    if (/^[./~#]|^@\//.test(name)) return '';
    return name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
  }
  if (language === 'python') return name.startsWith('.') ? '' : (name.split('.')[0] ?? '');
  if (language === 'rust') return /^(?:crate|super|self)\b|^\w+$/.test(name) ? '' : (name.split('::')[0] ?? '');
  return language === 'go' ? name : '';
}

function directoryOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '' : path.slice(0, at);
}

/** Joins paths within the repository; `..` at its root is left out. */
function joined(...parts: readonly string[]): string {
  const all: string[] = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '..') all.pop();
    else if (part !== '.' && part !== '') all.push(part);
  }
  return all.join('/');
}
