import type { benchAgents } from './agents.ts';
import type { Rate } from './agents-rates.ts';
import { auditRows } from './audit-report.ts';
import { automationRows } from './automations-report.ts';
import type { AutomationFigures } from './automations.ts';
import type { AuditFigures } from './audit.ts';
import type { benchApi } from './api.ts';
import { codeRows } from './code-report.ts';
import type { CodeFigures } from './code.ts';
import { consoleRows } from './console-report.ts';
import type { ConsoleFigures } from './console.ts';
import { consumptionRows } from './consumption-report.ts';
import type { ConsumptionFigures } from './consumption.ts';
import type { benchEvents } from './events.ts';
import { browserRows } from './browser-report.ts';
import type { BrowserFigures } from './browser.ts';
import { growthRows } from './growth-report.ts';
import type { GrowthFigures } from './growth.ts';
import { hostileRows, type StandStill } from './hostile.ts';
import { knowledgeRows } from './knowledge-report.ts';
import type { KnowledgeFigures } from './knowledge.ts';
import { largeRepositoryRows } from './large-repository-report.ts';
import type { LargeRepositoryFigures } from './large-repository.ts';
import { lighthouseRows, type LighthouseFigures } from './lighthouse.ts';
import { coresRows, type benchCores } from './cores.ts';
import { newSessionRows } from './new-sessions-report.ts';
import type { NewSessionFigures } from './new-sessions.ts';
import { openStreamRows } from './open-streams-report.ts';
import type { OpenStreamFigures } from './open-streams.ts';
import { packageRows } from './packages-report.ts';
import type { PackageFigures } from './packages.ts';
import { programRows, type ProgramFigures } from './programs.ts';
import type { Row } from './row.ts';
import { queueRows } from './queue-report.ts';
import type { QueueFigures } from './queue.ts';
import type { benchSessions } from './session.ts';
import { streamRows } from './streams-report.ts';
import type { StreamFigures } from './streams.ts';
import { waitingRows } from './waiting-report.ts';
import type { WaitingFigures } from './waiting.ts';

export interface Results {
  agents?: Awaited<ReturnType<typeof benchAgents>>;
  audit?: AuditFigures;
  automations?: AutomationFigures;
  api?: Awaited<ReturnType<typeof benchApi>>;
  growth?: GrowthFigures;
  hostile?: StandStill[];
  events?: Awaited<ReturnType<typeof benchEvents>>;
  browser?: BrowserFigures;
  code?: CodeFigures;
  console?: ConsoleFigures;
  consumption?: ConsumptionFigures;
  knowledge?: KnowledgeFigures;
  largeRepository?: LargeRepositoryFigures;
  lighthouse?: LighthouseFigures[];
  cores?: Awaited<ReturnType<typeof benchCores>>;
  newSessions?: NewSessionFigures & { api: Awaited<ReturnType<typeof benchApi>> };
  openStreams?: OpenStreamFigures;
  packages?: PackageFigures;
  programs?: ProgramFigures[];
  queue?: QueueFigures;
  sessions?: Awaited<ReturnType<typeof benchSessions>>;
  streams?: StreamFigures;
  waiting?: WaitingFigures;
}

/** Formats the results as a table. */
export function tableOf(results: Results): string {
  const rows = [
    ...apiRows(results.api),
    ...eventRows(results.events),
    ...programRows(results.programs),
    ...sessionRows(results.sessions),
    ...newSessionRows(results.newSessions),
    ...largeRepositoryRows(results.largeRepository),
    ...packageRows(results.packages),
    ...coresRows(results.cores),
    ...agentRows(results.agents),
    ...auditRows(results.audit),
    ...automationRows(results.automations),
    ...queueRows(results.queue),
    ...knowledgeRows(results.knowledge),
    ...browserRows(results.browser),
    ...codeRows(results.code),
    ...consoleRows(results.console),
    ...lighthouseRows(results.lighthouse),
    ...consumptionRows(results.consumption),
    ...growthRows(results.growth),
    ...streamRows(results.streams),
    ...openStreamRows(results.openStreams),
    ...waitingRows(results.waiting),
    ...hostileRows(results.hostile),
  ];
  const width = (pick: (row: Row) => string): number => Math.max(...rows.map((row) => pick(row).length));
  const [what, figure, target] = [width((row) => row.what), width((row) => row.figure), width((row) => row.target)];
  const mark = (holds: boolean | undefined): string => (holds === undefined ? ' ' : holds ? '✓' : '✗');
  return rows
    .map(
      (row) =>
        `${mark(row.holds)} ${row.what.padEnd(what)}  ${row.figure.padStart(figure)}  ${row.target.padEnd(target)}`,
    )
    .join('\n');
}

function apiRows(api: Results['api']): Row[] {
  if (api === undefined) return [];
  const rows: Row[] = [];
  for (const { sessions, list, get } of api.reads)
    for (const [what, measured] of [
      ['list of 50', list],
      ['get of one', get],
    ] as const)
      rows.push({
        what: `${what} at ${sessions.toLocaleString('en')} sessions: ${Math.round(measured.ours.requestsPerSecond)}/s, bare node:http ${Math.round(measured.peer.requestsPerSecond)}/s`,
        figure: measured.ratio.toFixed(2),
        target: '≥ 0.60 of the bare peer',
        holds: measured.ratio >= 0.6,
      });
  const [small, large] = api.reads;
  if (small !== undefined && large !== undefined) {
    const growth = small.list.ours.requestsPerSecond / large.list.ours.requestsPerSecond;
    rows.push({
      what: `list at ${large.sessions.toLocaleString('en')} against ${small.sessions.toLocaleString('en')} sessions`,
      figure: growth.toFixed(2),
      target: '≤ 1.20 times the time',
      holds: growth <= 1.2,
    });
  }
  rows.push({
    what: 'create session, 8 at once',
    figure: `${Math.round(api.create.load.requestsPerSecond)}/s`,
    target: `p50 ${api.create.load.p50Ms} ms`,
    holds: undefined,
  });
  return rows;
}

function eventRows(events: Results['events']): Row[] {
  return (events ?? []).map(({ batch, sessions, perSecond }) => ({
    what: `events appended, ${batch} at a time, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    figure: `${Math.round(perSecond).toLocaleString('en')}/s`,
    target: '',
    holds: undefined,
  }));
}

function sessionRows(sessions: Results['sessions']): Row[] {
  if (sessions === undefined) return [];
  const [, ...warm] = sessions.overheadMs;
  const overhead = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)] ?? 0;
  return [
    {
      what: 'platform overhead of a session, warm mirror',
      figure: `${Math.round(overhead)} ms`,
      target: '≤ 700 ms',
      holds: overhead <= 700,
    },
    { what: 'first start to ready', figure: `${Math.round(sessions.firstStartMs)} ms`, target: '', holds: undefined },
    {
      what: 'start to ready on existing data',
      figure: `${Math.round(sessions.warmStartMs)} ms`,
      target: '≤ 2000 ms',
      holds: sessions.warmStartMs <= 2_000,
    },
    {
      what: 'memory of an idle API process',
      figure: `${Math.round(sessions.idleMib)} MiB`,
      target: '≤ 150 MiB',
      holds: sessions.idleMib <= 150,
    },
  ];
}

const repliesTarget = 2_000;
const editsTarget = 400;
const replyTargetMs = 60;
const tokenTargetMs = 10;

function agentRows(agents: Results['agents']): Row[] {
  if (agents === undefined) return [];
  const { prompts, tokens, replies, edits, memory } = agents;
  const waits = ({ p50, p95 }: { p50: number; p95: number }): string =>
    `${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
  const idle = memory.at.map(({ sessions, mib }) => `${Math.round(mib.server + mib.programs)} at ${sessions}`);
  return [
    ...replies.map((rate) => rateRow('replies', rate, repliesTarget)),
    ...edits.map((rate) => rateRow('sandboxed edits with commit', rate, editsTarget)),
    {
      what: `prompt to reply over the model's own time (${prompts.bareModel.p50.toFixed(1)} ms called bare)`,
      figure: waits(prompts.replyOverModel),
      target: `p50 ≤ ${replyTargetMs} ms`,
      holds: prompts.replyOverModel.p50 <= replyTargetMs,
    },
    { what: 'prompt to first event', figure: waits(prompts.firstEvent), target: '', holds: undefined },
    {
      what: "prompt to the turn's end over the model's own time",
      figure: waits(prompts.completedOverModel),
      target: '',
      holds: undefined,
    },
    {
      what: `model token to client (${tokens.bareModel.p50.toFixed(1)} ms from the model itself)`,
      figure: waits(tokens.throughServer),
      target: `p50 ≤ ${tokenTargetMs} ms`,
      holds: tokens.throughServer.p50 <= tokenTargetMs,
    },
    {
      what: `memory of a warm session with its sandbox (server and sandboxes: ${idle.join(', ')} MiB)`,
      figure: `${memory.perSessionMib.toFixed(1)} MiB`,
      target: `and ${memory.perSessionPostgresMib.toFixed(1)} MiB in PostgreSQL`,
      holds: undefined,
    },
  ];
}

function rateRow(what: string, { sessions, perMinute, turnMs, cpuMs }: Rate, target: number): Row {
  const { others: _, ...ours } = cpuMs;
  const spent = Object.values(ours).reduce((sum, ms) => sum + ms, 0);
  const isAimedAt = sessions === 32;
  return {
    what: `${what} a minute, ${sessions} at once (${spent.toFixed(1)} ms of CPU each, p50 ${Math.round(turnMs.p50)} ms)`,
    figure: Math.round(perMinute).toLocaleString('en'),
    target: isAimedAt ? `≥ ${target.toLocaleString('en')}` : '',
    holds: isAimedAt ? perMinute >= target : undefined,
  };
}
