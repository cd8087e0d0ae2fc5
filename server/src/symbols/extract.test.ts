import { expect, test } from 'vitest';
import { openExtractor } from './extract.ts';
import { languages, type Language } from './languages.ts';

const sources: Record<Language, [source: string, imports: string[], symbol: object]> = {
  bash: ['source ./lib.sh\n# Builds it.\nbuild() {\n  :\n}\n', ['./lib.sh'], { name: 'build', doc: 'Builds it.' }],
  'c-sharp': [
    'using System.Text;\n/// <summary>Counts.</summary>\npublic class Counter {}\n',
    ['System.Text'],
    { name: 'Counter', isExported: true, doc: 'Counts.' },
  ],
  cpp: [
    '#include <map>\n#include "a.h"\n// Adds.\nint add(int a) {\n  return a;\n}\n',
    ['map', 'a.h'],
    { name: 'add', doc: 'Adds.' },
  ],
  go: [
    'package a\nimport (\n  "fmt"\n  x "acme.dev/shop/cart"\n)\n// Add adds.\nfunc Add() {}\n',
    ['fmt', 'acme.dev/shop/cart'],
    { name: 'Add', isExported: true, doc: 'Add adds.' },
  ],
  java: [
    'import acme.shop.Cart;\n/**\n * Sells.\n *\n * @since 1\n */\n@Deprecated\npublic class Shop {}\n',
    ['acme.shop.Cart'],
    { name: 'Shop', isExported: true, doc: 'Sells.' },
  ],
  javascript: [
    "const a = require('./a');\nimport('./lazy.js');\nfunction go() {}\nmodule.exports = { go };\n",
    ['./a', './lazy.js'],
    { name: 'go', isExported: true },
  ],
  php: [
    '<?php\nuse Acme\\Shop\\Cart;\n/** Sells. */\nfunction sell() {}\n',
    ['Acme\\Shop\\Cart'],
    { name: 'sell', doc: 'Sells.' },
  ],
  powershell: ['# Builds.\nfunction Build { }\n', [], { name: 'Build', doc: 'Builds.' }],
  python: [
    'import a.b as c\nfrom ..d import e\ndef sell(x: int) -> int:\n    """Sells\n    it.\n\n    More.\n    """\n',
    ['a.b', '..d'],
    { name: 'sell', isExported: true, doc: 'Sells it.' },
  ],
  ruby: ["require_relative 'lib/cart'\n# Sells.\ndef sell\nend\n", ['lib/cart'], { name: 'sell', doc: 'Sells.' }],
  rust: [
    'mod cart;\nuse crate::cart::Item;\n/// Sells.\n#[inline]\npub fn sell() {}\n',
    ['cart', 'crate::cart::Item'],
    { name: 'sell', isExported: true, doc: 'Sells.' },
  ],
  tsx: [
    "import { a } from './a.ts';\n// Shows.\nexport function Shown() {\n  return <p />;\n}\n",
    ['./a.ts'],
    { name: 'Shown', isExported: true, doc: 'Shows.' },
  ],
  typescript: [
    "import type { A } from '../a.ts';\nexport * from './b.ts';\n\n/** Hidden. */\nfunction hidden() {}\n",
    ['../a.ts', './b.ts'],
    { name: 'hidden', isExported: false, doc: 'Hidden.' },
  ],
};

const extract = await openExtractor();

test.each(languages)('%s: imports, and which definitions others can use, with their comments', async (language) => {
  const [source, imports, symbol] = sources[language];
  const { facts, symbols, lines } = await extract(language, source);
  expect(facts.filter(({ kind }) => kind === 'import').map(({ name }) => name)).toEqual(imports);
  expect(symbols).toContainEqual(expect.objectContaining(symbol));
  expect(lines).toBe(source.split('\n').length - 1);
});

test.each<[Language, string, object]>([
  ['typescript', 'const url = process.env.DATABASE_URL;', { kind: 'env', name: 'DATABASE_URL', line: 1 }],
  ['python', "os.environ.get('API_KEY')", { kind: 'env', name: 'API_KEY' }],
  ['go', 'x := os.Getenv("HOME_DIR")', { kind: 'env', name: 'HOME_DIR' }],
  ['typescript', "app.get('/orders/:id', show);", { kind: 'route', detail: 'GET', name: '/orders/:id' }],
  [
    'typescript',
    "route({\n  method: 'PUT',\n  path: '/orders',\n});",
    { kind: 'route', detail: 'PUT', name: '/orders', line: 3 },
  ],
  ['python', '@app.route("/health")\ndef health():\n    pass', { kind: 'route', detail: '', name: '/health' }],
  ['java', '  @GetMapping("/orders")', { kind: 'route', detail: 'GET', name: '/orders' }],
  ['ruby', "get '/orders', to: 'orders#index'", { kind: 'route', detail: 'GET', name: '/orders' }],
])('%s: %s', async (language, source, fact) => {
  expect((await extract(language, source)).facts).toContainEqual(expect.objectContaining(fact));
});

test('a call of something else is not a route, and long lines are not read', async () => {
  const source = `cache.get('/tmp/x');\nmap.get('/y');\napp.get('/z'); //${'x'.repeat(2_000)}\n`;
  expect((await extract('typescript', source)).facts).toEqual([]);
});
