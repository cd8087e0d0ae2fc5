import type { Language } from './languages.ts';

/** A line that says something about a file beside its definitions. */
export interface CodeFact {
  kind: (typeof factKinds)[number];
  /** The imported name, the path of the route, or the variable. */
  name: string;
  /** A route's method; `''` otherwise. */
  detail: string;
  /** From 1. */
  line: number;
}

export const factKinds = ['import', 'route', 'env'] as const;

const mostFacts = 500;
const longestLine = 1_000;
export const longestFactName = 200;

const variable = String.raw`([A-Z][A-Z0-9_]{1,80})\b`;
const environment = new RegExp(
  String.raw`(?:process\.env(?:\.|\[['"])|import\.meta\.env\.|Deno\.env\.get\(['"]|os\.environ(?:\.get\(|\[)['"]|` +
    String.raw`os\.(?:getenv|Getenv|LookupEnv)\(['"]|ENV(?:\.fetch\(|\[)['"]|env::var(?:_os)?\("|env!\("|System\.getenv\("|` +
    String.raw`\bgetenv\(['"]|\$_ENV\[['"]|GetEnvironmentVariable\("|\$env:)${variable}`,
  'g',
);
const quoted = String.raw`['"\x60](/[^'"\x60\s]{0,150})['"\x60]`;
const called = new RegExp(
  String.raw`(?:^|[\s@(.])(?:app|api|router|routes?|server|fastify|blueprint|bp|mux|r|e|http|[a-zA-Z]{1,30}(?:App|Router|Routes|_router|_bp))\.` +
    String.raw`(get|post|put|patch|delete|route|all|GET|POST|PUT|PATCH|DELETE|HandleFunc|Handle)\(\s*${quoted}`,
);
const annotated = new RegExp(
  String.raw`^\s*@(Get|Post|Put|Patch|Delete|Request)(?:Mapping)?\(\s*(?:value\s*=\s*|path\s*=\s*)?${quoted}`,
);
const railed = new RegExp(String.raw`^\s*(get|post|put|patch|delete)\s+${quoted}`);
const methodField = /^(?:\{\s{0,20})?method:\s{0,20}['"](GET|POST|PUT|PATCH|DELETE)['"],?/;
const pathField = new RegExp(String.raw`\b(?:path|url):\s*${quoted}`);

/** Finds routes and environment variables, line by line. */
export function lineFacts(language: Language, lines: readonly string[]): CodeFact[] {
  const found: CodeFact[] = [];
  let method = '';
  for (const [index, text] of lines.entries()) {
    if (found.length >= mostFacts) break;
    if (text.length > longestLine) continue;
    const line = index + 1;
    for (const [, name = ''] of text.matchAll(environment)) found.push({ kind: 'env', name, detail: '', line });
    method = methodField.exec(text.trimStart())?.[1] ?? method;
    const route = routeIn(language, text, method);
    if (route === undefined) continue;
    found.push({ kind: 'route', ...route, line });
    method = '';
  }
  return found.slice(0, mostFacts);
}

function routeIn(language: Language, text: string, method: string): { name: string; detail: string } | undefined {
  const [, verb = '', path] =
    called.exec(text) ?? annotated.exec(text) ?? (language === 'ruby' ? railed.exec(text) : null) ?? [];
  if (path !== undefined) return { name: path, detail: verbs.has(verb.toUpperCase()) ? verb.toUpperCase() : '' };
  const field = method === '' ? undefined : pathField.exec(text)?.[1];
  return field === undefined ? undefined : { name: field, detail: method };
}

const verbs: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
