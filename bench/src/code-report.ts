import type { CodeFigures } from './code.ts';
import type { Row } from './row.ts';

export function codeRows(figures: CodeFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { lines, files, index, wiki, search } = figures;
  const of = `${lines.toLocaleString('en')} lines in ${files.toLocaleString('en')} files`;
  return [
    row(`index of ${of}; its parser ${index.parserMib.toFixed(0)} MiB`, index.ms),
    row('index after a push of ten files', index.afterPushMs),
    row(
      `wiki of it: ${wiki.pages} pages, ${(wiki.bytes / 1_024).toFixed(0)} KiB; its builder ${wiki.builderMib.toFixed(0)} MiB`,
      wiki.ms,
    ),
    row('wiki after a push of ten files, index included', wiki.afterPushMs),
    ...Object.entries(search).map(([kind, { p50, p95 }]) => ({
      what: `search by ${kind}, p50; p95 ${p95.toFixed(0)} ms`,
      figure: `${p50.toFixed(0)} ms`,
      target: '',
      holds: undefined,
    })),
  ];
}

function row(what: string, ms: number): Row {
  return { what, figure: `${(ms / 1_000).toFixed(1)} s`, target: '', holds: undefined };
}
