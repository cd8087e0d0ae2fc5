import type { ConsoleFigures } from './console.ts';
import type { Row } from './row.ts';

/** Above this load, figures are those of a busy machine. */
const busyLoad = 3;

export function consoleRows(figures: ConsoleFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { loadBefore, first, slow, log, line, tabs } = figures;
  const isBusy = loadBefore >= busyLoad ? ', on a busy machine' : '';
  return [
    {
      what: `console, first load of the list of sessions: scripts and styles; fonts ${first.fontsKb.toFixed(0)} kB, page and data ${first.dataKb.toFixed(0)} kB`,
      figure: `${first.codeKb.toFixed(0)} kB`,
      target: '≤ 200 kB',
      holds: first.codeKb <= 200,
    },
    time(`console, LCP of the list on a four times slower processor${isBusy}`, slow.lcpMs, 1_200, slow.bareLcpMs),
    time(
      `console, INP of a walk through list, palette and session, the same${isBusy}`,
      slow.inpMs,
      150,
      slow.bareInpMs,
    ),
    time(
      `console, ${log.events.toLocaleString('en')} events opened, to the first row; to a first scrolling ${log.scrollMs.toFixed(0)} ms`,
      log.openMs,
      1_000,
      log.bareOpenMs,
    ),
    {
      what: `console, longest task while scrolling through them; with 2,000 rows in a plain page ${taskOf(log.bareLongestTaskMs)}`,
      figure: taskOf(log.longestTaskMs),
      target: '≤ 50 ms',
      holds: log.longestTaskMs <= 50,
    },
    {
      what: `console, JS heap after ${log.minutes} min and ${log.streamed.toLocaleString('en')} streamed events, before ${log.heapBeforeMb.toFixed(0)} MB`,
      figure: `${log.heapAfterMb.toFixed(0)} MB`,
      target: '≤ 250 MB after ten minutes',
      holds: log.heapAfterMb <= 250,
    },
    time('console, offline, until a reader is told', line.offlineMs, 4_000),
    time('console, connection cut, until a reader is told', line.cutMs, 4_000),
    time(
      'console, list of sessions over 600 ms and 400 kbit/s, nothing cached',
      line.firstListMs,
      undefined,
      line.bareMs,
    ),
    time('console, the same again', line.nextListMs, 5_000, line.bareMs),
    time('console, slowest of eight tabs over HTTP/1.1 to its log', tabs.slowestMs, 2_000, tabs.aloneMs),
    time('console, change to screen with eight tabs', tabs.arrivalMs, undefined),
    time('console, the same right after the first tab closed', tabs.afterCloseMs, 2_000, tabs.arrivalMs),
  ];
}

function time(what: string, ms: number, mostMs: number | undefined, bareMs?: number): Row {
  // Browsers tell of interactions of 16 ms and more.
  const bareOrLess = Math.max(16, bareMs ?? 0);
  const bare =
    bareMs === undefined ? '' : `; ${(ms / bareOrLess).toFixed(1)} times the bare ${bareOrLess.toFixed(0)} ms`;
  return {
    what: `${what}${bare}`,
    figure: `${ms.toFixed(0)} ms`,
    target: mostMs === undefined ? '' : `≤ ${mostMs.toLocaleString('en')} ms`,
    holds: mostMs === undefined ? undefined : ms <= mostMs,
  };
}

/** Browsers tell of tasks of 50 ms and more. */
function taskOf(ms: number): string {
  return ms === 0 ? '< 50 ms' : `${ms.toFixed(0)} ms`;
}
