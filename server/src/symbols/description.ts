import { trimEndOf } from '../lib/trim.ts';
import type { Language } from './languages.ts';

const longestDoc = 400;
const mostDocLines = 30;

/** Returns the first paragraph of the comment of a definition: above it, in Python below. `row` is from 0. */
export function docOf(language: Language, lines: readonly string[], row: number): string {
  const comment = language === 'python' ? docstring(lines, row) : commentAbove(lines, row);
  const paragraph: string[] = [];
  for (const line of comment) {
    const text = line.trim();
    if (text === '' || /^@\w/.test(text)) {
      if (paragraph.length > 0 || text !== '') break;
      continue;
    }
    paragraph.push(text);
  }
  const text = paragraph.join(' ').replaceAll(/\{@link\s+([^{}\s]{1,100})\}/g, '$1');
  return text.slice(0, longestDoc).toWellFormed();
}

function commentAbove(lines: readonly string[], row: number): string[] {
  let at = row - 1;
  // Decorators, annotations and attributes stand between a comment and its definition.
  while (at >= 0 && /^\s*(?:@\w|#\[)/.test(textAt(lines, at))) at -= 1;
  const last = textAt(lines, at).trim();
  const found: string[] = [];
  if (last.endsWith('*/')) {
    for (let line = at; line >= 0 && at - line < mostDocLines; line -= 1) {
      const text = textAt(lines, line).trim();
      found.unshift(
        (text.endsWith('*/') ? trimEndOf(text.slice(0, -1), '*') : text).replace(/^\/\*+/, '').replace(/^\*/, ''),
      );
      if (text.startsWith('/*')) return found;
    }
    return [];
  }
  for (let line = at; line >= 0 && at - line < mostDocLines; line -= 1) {
    const [, text] = /^\s*(?:\/\/[/!]?|#(?=\s|$)|--)\s?(.*)$/.exec(textAt(lines, line)) ?? [];
    if (text === undefined) break;
    found.unshift(text.replaceAll(/<\/?summary>/g, ''));
  }
  return found;
}

function docstring(lines: readonly string[], row: number): string[] {
  let at = row;
  while (at < lines.length && at - row < mostDocLines && !/:\s*(?:#.*)?$/.test(textAt(lines, at))) at += 1;
  const [, mark, first = ''] = /^\s*[rRuU]?("""|''')(.*)$/.exec(textAt(lines, at + 1)) ?? [];
  if (mark === undefined) return [];
  const found: string[] = [];
  for (let line = at + 1; line < lines.length && line - at < mostDocLines; line += 1) {
    const text = line === at + 1 ? first : textAt(lines, line);
    const end = text.indexOf(mark);
    found.push(end < 0 ? text : text.slice(0, end));
    if (end >= 0) break;
  }
  return found;
}

/** Lines of generated files may be long; no comment is. */
function textAt(lines: readonly string[], row: number): string {
  return (lines[row] ?? '').slice(0, 1_000);
}

const markers: Partial<Record<Language, RegExp>> = {
  'c-sharp': /\bpublic\b/,
  java: /\bpublic\b/,
  rust: /^pub\b/,
};

/** Returns true if other files can use a definition, by its name and the line with it. */
export function isExported(
  language: Language,
  { name, container, signature }: { name: string; container: string; signature: string },
  exported: ReadonlySet<string>,
): boolean {
  const marker = markers[language];
  if (marker !== undefined) return marker.test(signature);
  if (container !== '') return false;
  if (language === 'go') return /^\p{Lu}/u.test(name);
  if (language === 'python') return !name.startsWith('_');
  if (!['javascript', 'typescript', 'tsx'].includes(language)) return true;
  return /^export\b/.test(signature) || exported.has(name);
}

/** Finds the names that JavaScript exports apart from their definitions. */
export function exportedNames(source: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = ''] of source.matchAll(/\b(?:module\.)?exports(?:\.\w{1,100})?\s{0,10}=\s{0,10}([\w$]{1,100})/g))
    names.add(name);
  for (const [, name = ''] of source.matchAll(/\bexport\s{1,10}default\s{1,10}([\w$]{1,100})/g)) names.add(name);
  for (const [, list = ''] of source.matchAll(/\b(?:export|module\.exports\s{0,10}=)\s{0,10}\{([^{}]{0,10000})\}/g))
    for (const part of list.split(',')) {
      const [, name = ''] = /^\s*([\w$]{1,100})/.exec(part) ?? [];
      if (name !== '') names.add(name);
    }
  return names;
}
