import type { Place } from './markdown.ts';
import type { Document } from './material.ts';

const longest = 1_500;
const longestParagraph = 8_000;

interface Paragraph {
  text: string;
  place: Place;
}

/** Returns a README's title and the text before its second heading, without markup, and where they begin. */
export function firstSection({ path, text }: Document): { title: string; paragraphs: Paragraph[] } {
  const paragraphs: Paragraph[] = [];
  let title = '';
  let open: Paragraph | undefined;
  let isCode = false;
  let length = 0;
  const close = (): void => {
    // Tags, links and images may go over several lines.
    const clean = bare(open?.text ?? '');
    if (open !== undefined && clean !== '') paragraphs.push({ ...open, text: clean });
    length += clean.length;
    open = undefined;
  };
  const shown = text
    .slice(0, 100_000)
    .replaceAll(/<!--[\s\S]{0,2000}?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ''));
  for (const [index, raw] of shown.split('\n').slice(0, 400).entries()) {
    const line = raw.slice(0, 2_000);
    const [, heading] = isCode ? [] : (/^#{1,6}\s(.*)$/.exec(line) ?? []);
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (heading !== undefined || isCode || isFence || /^\s*(?:[=-]{3,}\s*|\|.*)?$/.test(line)) close();
    else if (open === undefined) open = { text: line, place: { path, line: index + 1 } };
    else if (open.text.length < longestParagraph) open.text += `\n${line}`;
    if (length > longest || (heading !== undefined && paragraphs.length > 0)) break;
    if (heading !== undefined && title === '') title = bare(heading);
  }
  close();
  return { title, paragraphs };
}

/** Escaped signs, code, and marks of emphasis; an underscore within a word is none. */
const marks = /\\([!-/:-@[-`{-~])|`{1,3}([^`]{1,300})`{1,3}|[*`]{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu;

function bare(text: string): string {
  return text
    .replaceAll(/^\s{0,99}(?:[>*+-]|\d{1,9}\.)\s{1,99}/gm, '')
    .replaceAll(/\[?!\[[^\]]{0,300}\]\([^)]{0,1000}\)(?:\]\([^)]{0,1000}\))?/g, '')
    .replaceAll(/\[([^\]]{0,300})\]\([^)]{0,1000}\)/g, '$1')
    .replaceAll(/<\/?[a-zA-Z][^<>]{0,1000}>/g, '')
    .replaceAll(marks, (_, escaped?: string, code?: string) => escaped ?? code ?? '')
    .replaceAll(/\s{1,999}/g, ' ')
    .trim();
}

/** Finds the README of a directory. */
export function readmeOf(documents: ReadonlyMap<string, Document>, directory: string): Document | undefined {
  const prefix = directory === '' ? '' : `${directory}/`;
  return ['README.md', 'readme.md', 'Readme.md', 'README.markdown', 'README.rst', 'README.txt', 'README']
    .map((name) => documents.get(prefix + name))
    .find((one) => one !== undefined);
}
