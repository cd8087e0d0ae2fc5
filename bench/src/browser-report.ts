import type { BrowserFigures } from './browser.ts';
import type { Row } from './row.ts';

export function browserRows(browser: BrowserFigures | undefined): Row[] {
  if (browser === undefined) return [];
  const { table, openMs, navigateMs, screenshotMs, closeMs, memoryMib, processes, threads } = browser;
  const guarded = (hits: BrowserFigures['table'][number]['hits']): number =>
    (hits['all, no isolation'] ?? 0) + (hits['all, in a sandbox'] ?? 0);
  const plain = ({ hits }: BrowserFigures['table'][number]): string =>
    [hits['no guard'], hits['--proxy-server'], hits['and <-loopback>']].map((count) => count ?? '–').join(', ');
  return [
    ...table.map((row) => ({
      what: `browser, hits by ${row.group} (${row.probes} probes); without guards, behind --proxy-server, and with <-loopback>: ${plain(row)}`,
      figure: String(guarded(row.hits)),
      target: '0 with all guards',
      holds: guarded(row.hits) === 0,
    })),
    {
      what: 'browser, the longest that a probe took with all guards',
      figure: `${Math.round(browser.slowestProbeMs)} ms`,
      target: '',
      holds: undefined,
    },
    ...(
      [
        ['start', openMs],
        ['go to a page', navigateMs],
        ['screenshot', screenshotMs],
        ['close', closeMs],
      ] as const
    ).map(([what, { p50, p95 }]) => ({
      what: `browser, ${what}: p95 ${Math.round(p95)} ms`,
      figure: `${Math.round(p50)} ms`,
      target: '',
      holds: undefined,
    })),
    {
      what: `browser, memory with a page (${processes} processes, ${threads} threads)`,
      figure: `${Math.round(memoryMib)} MiB`,
      target: '',
      holds: undefined,
    },
  ];
}
