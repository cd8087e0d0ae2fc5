import type { CpuUse } from './agents-installation.ts';
import type { Shares } from './agents-processes.ts';
import type { Rate } from './agents-rates.ts';
import type { benchApi } from './api.ts';
import type { Bare } from './new-sessions-bare.ts';
import type { NewSessionFigures } from './new-sessions.ts';
import type { Row } from './row.ts';

export function newSessionRows(
  figures: (NewSessionFigures & { api: Awaited<ReturnType<typeof benchApi>> }) | undefined,
): Row[] {
  if (figures === undefined) return [];
  const { reply, edit, branches, replies, edits, bare, api, startMs, idleMib, heldSessions, heldMib, manyBranches } =
    figures;
  const { tokens } = figures;
  const [reads] = api.reads;
  const start = startMs[Math.floor(startMs.length / 2)] ?? 0;
  return [
    row('new session without a repository: prompt to end of turn, p50', milliseconds(reply.turnMs.p50), {
      note: `a bare bwrap with node ${limitOf(bare.start)}`,
      holds: reply.turnMs.p50 <= 50,
      target: '≤ 50 ms',
    }),
    row('its CPU', milliseconds(sumOf(reply.cpuMs)), {
      note: cpuText(reply.cpuMs),
      holds: sumOf(reply.cpuMs) <= 30,
      target: '≤ 30 ms',
    }),
    row('new session with a repository: edit, commit, branch pushed, p50', milliseconds(edit.turnMs.p50), {
      note: `bare git ${limitOf(bare.edit)}`,
      holds: edit.turnMs.p50 <= 300,
      target: '≤ 300 ms',
    }),
    row('its CPU', milliseconds(sumOf(edit.cpuMs)), { note: cpuText(edit.cpuMs) }),
    row(
      `the same in a repository with ${manyBranches.toLocaleString('en')} branches`,
      milliseconds(branches.turnMs.p50),
      {
        note: `CPU ${milliseconds(sumOf(branches.cpuMs))}`,
        holds: branches.turnMs.p50 <= 1.3 * edit.turnMs.p50,
        target: '≤ 1.3 ×',
      },
    ),
    ...replies.map((rate) => rateRow('replies', rate, 2_600)),
    ...edits.map((rate) => rateRow('edits with commit', rate, 1_300)),
    ...createRows(api.create),
    ...(reads === undefined
      ? []
      : [readRow('read session', reads.get, 8_000), readRow('list of 50', reads.list, 2_500)]),
    row('start to ready on existing data, after SIGKILL', milliseconds(start), {
      holds: start <= 800,
      target: '≤ 800 ms',
    }),
    memoryRow('idle', idleMib, 190),
    memoryRow(`after ${heldSessions} sessions`, heldMib, 370),
    row('model token to client, p50', milliseconds(tokens.throughServer.p50), {
      note: `${milliseconds(tokens.bareModel.p50)} from the model itself`,
      holds: tokens.throughServer.p50 <= 2.3,
      target: '≤ 2.3 ms',
    }),
  ];
}

function row(
  what: string,
  figure: string,
  { note = '', target = '', holds }: { note?: string; target?: string; holds?: boolean } = {},
): Row {
  return { what: note === '' ? what : `${what} (${note})`, figure, target, holds };
}

function createRows({ load, cpuMs, bare }: Awaited<ReturnType<typeof benchApi>>['create']): Row[] {
  const spent = cpuMs.server + cpuMs.postgres;
  const what = `create session (the rows alone in one statement: ${Math.round(bare.perSecond)}/s, ${milliseconds(bare.cpuMs)} of CPU in PostgreSQL)`;
  return [
    row(what, perSecond(load.requestsPerSecond), { holds: load.requestsPerSecond >= 2_000, target: '≥ 2,000/s' }),
    row('its CPU', milliseconds(spent), {
      note: `server ${milliseconds(cpuMs.server)}, PostgreSQL ${milliseconds(cpuMs.postgres)}`,
      holds: spent <= 1.2,
      target: '≤ 1.2 ms',
    }),
  ];
}

function readRow(
  what: string,
  { ours, peer }: Awaited<ReturnType<typeof benchApi>>['reads'][number]['get'],
  target: number,
): Row {
  return row(`${what} (bare node:http ${perSecond(peer.requestsPerSecond)})`, perSecond(ours.requestsPerSecond), {
    holds: ours.requestsPerSecond >= target,
    target: `≥ ${target.toLocaleString('en')}/s`,
  });
}

function rateRow(what: string, { sessions, perMinute, turnMs, cpuMs }: Rate, target: number): Row {
  return row(`${what} a minute, new sessions, ${sessions} at once`, Math.round(perMinute).toLocaleString('en'), {
    note: `p50 ${Math.round(turnMs.p50)} ms; CPU ${cpuText(cpuMs)}`,
    ...(sessions === 16 ? { holds: perMinute >= target, target: `≥ ${target.toLocaleString('en')}` } : {}),
  });
}

function memoryRow(when: string, mib: Shares, target: number): Row {
  const { server, programs, postgres } = mib;
  const all = server + programs + postgres;
  const shares = `server ${Math.round(server)}, PostgreSQL ${Math.round(postgres)}, other programs ${Math.round(programs)}`;
  return row(`memory of all processes, ${when} (${shares})`, `${Math.round(all)} MiB`, {
    holds: all <= target,
    target: `≤ ${target} MiB`,
  });
}

function limitOf({ ms, cpuMs }: Bare): string {
  return `${milliseconds(ms.p50)}, ${milliseconds(cpuMs)} of CPU`;
}

/** The platform's share; the model and the bench are not counted. */
function sumOf({ server, programs, postgres }: CpuUse): number {
  return server + programs + postgres;
}

function cpuText({ server, programs, postgres }: CpuUse): string {
  return `server ${milliseconds(server)}, its programs ${milliseconds(programs)}, PostgreSQL ${milliseconds(postgres)}`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

function perSecond(count: number): string {
  return `${Math.round(count).toLocaleString('en')}/s`;
}
