import type { Place } from './markdown.ts';
import type { Document } from './material.ts';

const longest = 1_500;

/** Returns a README's title and the text before its second heading, without markup, and where they begin. */
export function firstSection({ path, text }: Document): {
  title: string;
  paragraphs: { text: string; place: Place }[];
} {
  const paragraphs: { text: string; place: Place }[] = [];
  let title = '';
  let isOpen = false;
  let isCode = false;
  let length = 0;
  const lines = text.slice(0, 100_000).split('\n').slice(0, 400);
  for (const [index, raw] of lines.entries()) {
    const line = raw.slice(0, 2_000);
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, heading] = /^#{1,6}\s(.*)$/.exec(line) ?? [];
    if (heading !== undefined && !isCode) {
      if (paragraphs.length > 0) break;
      if (title === '') title = bare(heading);
      isOpen = false;
      continue;
    }
    const clean = isCode || /^\s*(?:```|~~~|[=-]{3,}\s*$|\|)/.test(line) ? '' : bare(line);
    if (clean === '') {
      isOpen = false;
      continue;
    }
    if (length > longest) break;
    length += clean.length;
    const last = paragraphs.at(-1);
    if (isOpen && last !== undefined) last.text += ` ${clean}`;
    else paragraphs.push({ text: clean, place: { path, line: index + 1 } });
    isOpen = true;
  }
  return { title, paragraphs };
}

function bare(line: string): string {
  return line
    .replaceAll(/\[?!\[[^\]]{0,300}\]\([^)]{0,1000}\)(?:\]\([^)]{0,1000}\))?/g, '')
    .replaceAll(/\[([^\]]{0,300})\]\([^)]{0,1000}\)/g, '$1')
    .replaceAll(/<[^<>]{0,1000}>/g, '')
    .replaceAll(/[*_`]{1,3}/g, '')
    .replace(/^\s*(?:[>*+-]|\d+\.)\s+/, '')
    .trim();
}

/** Finds the README of a directory. */
export function readmeOf(documents: ReadonlyMap<string, Document>, directory: string): Document | undefined {
  const prefix = directory === '' ? '' : `${directory}/`;
  return ['README.md', 'readme.md', 'Readme.md', 'README.markdown', 'README.rst', 'README.txt', 'README']
    .map((name) => documents.get(prefix + name))
    .find((one) => one !== undefined);
}
