import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Language as Grammar, Parser, Query, type Node } from 'web-tree-sitter';
import { docOf, exportedNames, isExported } from './description.ts';
import { lineFacts, longestFactName, type CodeFact } from './facts.ts';
import { importQueries } from './import-queries.ts';
import type { Language } from './languages.ts';
import { queries, symbolKinds, type SymbolKind } from './queries.ts';

/** A definition in a file. */
export interface CodeSymbol {
  name: string;
  kind: SymbolKind;
  /** Names of the definitions around it, joined by `.`; `''` at the top. */
  container: string;
  /** From 1. */
  line: number;
  endLine: number;
  /** The line with its name, without indentation. */
  signature: string;
  isExported: boolean;
  /** The first paragraph of its comment; `''` without one. */
  doc: string;
}

/** The contents of a file that the index keeps. */
export interface CodeFile {
  lines: number;
  symbols: CodeSymbol[];
  facts: CodeFact[];
}

const mostSymbols = 5_000;
const mostImports = 1_000;
const longestName = 200;
const longestContainer = 400;
const longestSignature = 300;

const { resolve } = createRequire(import.meta.url);
const grammars = dirname(resolve('@vscode/tree-sitter-wasm'));

/** Loads grammars when they are first used. */
export async function openExtractor(): Promise<(language: Language, source: string) => Promise<CodeFile>> {
  await Parser.init();
  const parser = new Parser();
  const loaded = new Map<Language, { grammar: Grammar; query: Query }>();

  async function load(language: Language): Promise<{ grammar: Grammar; query: Query }> {
    const known = loaded.get(language);
    if (known !== undefined) return known;
    const grammar = await Grammar.load(join(grammars, `tree-sitter-${language}.wasm`));
    const entry = { grammar, query: new Query(grammar, queries[language] + importQueries[language]) };
    loaded.set(language, entry);
    return entry;
  }

  return async (language, source) => {
    const { grammar, query } = await load(language);
    parser.setLanguage(grammar);
    const lines = source.split('\n');
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
    const tree = parser.parse(source);
    if (tree === null) return { lines: count, symbols: [], facts: [] };
    try {
      const { found, imports } = definitions(query, tree.rootNode);
      const exported = exportedNames(source);
      const symbols = nested(found, lines).map(({ row, ...symbol }) => ({
        ...symbol,
        isExported: isExported(language, symbol, exported),
        doc: docOf(language, lines, row),
      }));
      return { lines: count, symbols, facts: [...imports, ...lineFacts(language, lines)] };
    } finally {
      tree.delete();
    }
  };
}

interface Definition {
  name: string;
  kind: SymbolKind;
  nameRow: number;
  startRow: number;
  start: number;
  end: number;
  endRow: number;
}

function definitions(query: Query, root: Node): { found: Definition[]; imports: CodeFact[] } {
  const found = new Map<number, Definition>();
  const imports: CodeFact[] = [];
  for (const { captures } of query.matches(root, { matchLimit: 10_000 })) {
    const imported = captures.find((capture) => capture.name === 'import')?.node;
    if (imported !== undefined && imports.length < mostImports) imports.push(importOf(imported));
    const name = captures.find((capture) => capture.name === 'name')?.node;
    const around = captures.find((capture) => capture.name !== 'name');
    const kind = symbolKinds.find((one) => one === around?.name);
    if (name === undefined || around === undefined || kind === undefined) continue;
    const { startIndex: start, endIndex: end, startPosition, endPosition } = around.node;
    const [nameRow, startRow, endRow] = [name.startPosition.row, startPosition.row, endPosition.row];
    const definition = { name: name.text, kind, nameRow, startRow, start, end, endRow };
    const before = found.get(name.startIndex);
    // A more exact pattern says more than one of a constant or a type.
    if (before === undefined || before.kind === 'constant' || before.kind === 'type')
      found.set(name.startIndex, definition);
    if (found.size >= mostSymbols) break;
  }
  return { found: [...found.values()].toSorted((a, b) => a.start - b.start || b.end - a.end), imports };
}

function importOf({ text, startPosition }: Node): CodeFact {
  const name = text
    .slice(0, longestFactName)
    .replace(/^["'<`]/, '')
    .replace(/[>"'`]$/, '');
  return { kind: 'import', name: name.toWellFormed(), detail: '', line: startPosition.row + 1 };
}

/** Adds to each definition those around it, which come before it. */
function nested(
  found: readonly Definition[],
  lines: readonly string[],
): (Omit<CodeSymbol, 'isExported' | 'doc'> & { row: number })[] {
  const open: Definition[] = [];
  return found.map((definition) => {
    while ((open.at(-1)?.end ?? Infinity) <= definition.start) open.pop();
    const isMember = ['class', 'interface', 'struct'].includes(open.at(-1)?.kind ?? '');
    const container = open.map(({ name }) => name).join('.');
    open.push(definition);
    return {
      name: definition.name.slice(0, longestName).toWellFormed(),
      kind: isMember && definition.kind === 'function' ? 'method' : definition.kind,
      container: container.slice(0, longestContainer).toWellFormed(),
      row: definition.startRow,
      line: definition.nameRow + 1,
      endLine: definition.endRow + 1,
      signature: (lines[definition.nameRow] ?? '')
        .slice(0, 2 * longestSignature)
        .trim()
        .slice(0, longestSignature)
        .toWellFormed(),
    };
  });
}
