import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../../../adapters/agent/port.ts';
import { noteSandbox } from '../../../features/sessions/run/run-service.ts';
import type { ProviderError } from '../../../lib/errors.ts';
import { placeAttachments } from '../workspace/attachments.ts';
import { AgentLog } from './agent-log.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { chooseCheck, declaredCheck } from '../checks/check.ts';
import { Checkpoints, worksOf } from '../checkpoints/checkpoints.ts';
import { RoomAhead } from '../workspace/prewarmed-sandbox.ts';
import { RunFailed } from '../attempt/control.ts';
import { equip, type Equipment } from '../context/session-context.ts';
import { reproducedBefore } from '../checks/outcome.ts';
import { OutputCollector } from './output-collector.ts';
import { fetchCheckpoints, restoreInto } from '../checkpoints/restore.ts';
import { awaitRegistries, provision } from '../attempt/provisioning.ts';
import { checkOut, openRoom, pathsIn, limitsOf, runScript, type Room } from '../workspace/sandboxes.ts';
import { setUp } from '../workspace/setup.ts';
import { isWarm, openWorkplace, syncRepositories, type Workplace } from '../workspace/checkouts.ts';

/** Where the agent works: its sandbox with the repositories, and what is kept of it. */
export interface Workspace {
  readonly workplace: Workplace;
  /** The clean room of the phase reproduce, where it is certain to be needed. */
  readonly baseRoom: RoomAhead;
  readonly checkpoints: Checkpoints;
  readonly log: AgentLog;
  readonly output: OutputCollector;
  /** What the session is about, for what is found out about it: its prompt, and the words that began the run. */
  readonly prompt: string;
  room: Room;
  /** What the agent in the room is given to know and use. */
  equipment: Equipment;
  agent: Agent | undefined;
  /** Whether its sandbox was replaced already, which an attempt may do once. */
  replaced: boolean;
}

/**
 * Makes the workspace of an attempt: the repositories at their base, or as the newest checkpoint has them. `text` are the
 * words of its first turn.
 */
export async function openWorkspace(attempt: Attempt, text: string): Promise<Workspace> {
  const workplace = await openWorkplace(attempt);
  const registries = awaitRegistries(attempt, mayInstall(attempt, workplace));
  const isEarly = canStartEarly(workplace);
  const baseRoom = new RoomAhead(attempt, workplace, 'reproduce');
  const reproduces = willReproduce(attempt);
  let early = isEarly ? openRoom(attempt, workplace, 'agent') : undefined;
  early?.catch(() => undefined);
  if (isEarly && reproduces) baseRoom.open();
  const [{ moved }] = await Promise.all([syncRepositories(attempt, workplace), noteIsolation(attempt), registries]);
  if (moved) {
    // Sandboxes that were started before a mirror changed its place still see the old one.
    baseRoom.discard();
    early = undefined;
  }
  await setUp(attempt, workplace);
  if (reproduces) baseRoom.fill(({ baseCommit }) => baseCommit);
  const [room, { restored, memory }] = await Promise.all([
    provision(attempt, sandboxStep, (signal) => early ?? openRoom(attempt, workplace, 'agent', signal)),
    fetchWork(attempt, workplace),
  ]);
  const works = await worksOf(attempt, workplace, restored);
  const checkpoints = new Checkpoints(attempt, room, works, memory);
  if (works.some(({ checkout }) => checkout.baseCommit !== ''))
    await provision(attempt, checkoutStep, () => fill(attempt, workplace, room, checkpoints));
  else await fill(attempt, workplace, room, checkpoints);
  const check = memory?.check ?? declaredCheck(attempt.agent.runtime, attempt.agent.runtime_config);
  const prompt = promptOf(attempt, text);
  return {
    workplace,
    baseRoom,
    prompt,
    room,
    equipment: equip({ attempt, workplace, room, prompt }),
    checkpoints,
    log: new AgentLog(attempt, check),
    output: new OutputCollector(attempt),
    agent: undefined,
    replaced: false,
  };
}

const sandboxStep = {
  step: 'sandbox',
  subject: '',
  doing: "Starting the agent's sandbox.",
  late: {
    detail: 'sandbox_lost',
    what: "The agent's sandbox did not start",
    remedy: "Look at the worker's log and machine; then resume the session.",
  },
} as const;

const checkoutStep = {
  step: 'checkout',
  subject: '',
  doing: 'Checking the repositories out in the sandbox.',
  late: {
    detail: 'clone_failed',
    what: 'The repositories were not checked out in the sandbox',
    remedy: "Look at the worker's machine; then resume the session.",
  },
} as const;

const checkpointStep = {
  step: 'checkpoint',
  subject: '',
  doing: 'Fetching what the session has done so far.',
  late: {
    detail: 'agent_error',
    what: 'The checkpoints of the session were not fetched',
    remedy: 'Look at the blob store; then resume the session.',
  },
} as const;

/** The newest checkpoints, where there are any. */
function fetchWork(attempt: Attempt, workplace: Workplace): ReturnType<typeof fetchCheckpoints> {
  const fetch = () => fetchCheckpoints(attempt, workplace);
  return attempt.checkpoints.length === 0 ? fetch() : provision(attempt, checkpointStep, fetch);
}

/** Whether a sandbox of the session will reach package registries. */
function mayInstall({ settings }: Attempt, { checkouts }: Workplace): boolean {
  return settings.sandbox.network !== 'none' || checkouts.some(({ setupCommand }) => setupCommand !== '');
}

/** The first turn's words begin with the session's prompt already. */
function promptOf({ session }: Attempt, text: string): string {
  return text.startsWith(session.prompt) ? text : [session.prompt, text].filter((part) => part !== '').join('\n\n');
}

function willReproduce({ agent, mode, session, phases }: Attempt): boolean {
  if (mode !== 'build') return false;
  const agentCheck = declaredCheck(agent.runtime, agent.runtime_config);
  const check = chooseCheck({ sessionCommand: session.verify_command, agentCheck, repositories: [] });
  return check !== undefined && reproducedBefore(phases, check) === undefined;
}

/** With warm mirrors and nothing to set up, a sandbox can start while the mirrors are brought up to date. */
function canStartEarly(workplace: Workplace): boolean {
  return workplace.checkouts.every(({ setupCommand }) => setupCommand === '') && isWarm(workplace);
}

async function noteIsolation(attempt: Attempt): Promise<void> {
  const { ctx, run, session } = attempt;
  const { isolation } = await ctx.sandbox.probe();
  const sandbox = { driver: ctx.sandbox.name, isolation, limits: limitsOf(attempt) };
  if (JSON.stringify(sandbox) !== JSON.stringify(session.sandbox)) await noteSandbox(ctx, run, sandbox);
}

async function fill(attempt: Attempt, workplace: Workplace, room: Room, { works }: Checkpoints): Promise<void> {
  for (const { checkout, commit } of works) {
    await checkOut(attempt, room, checkout);
    if (workplace.layer !== undefined) await ignoreLayer(attempt, room, checkout);
    await restoreInto(attempt, room, checkout, commit);
  }
}

/** What the setup left beside the repository's own files is no change of the session. */
async function ignoreLayer(attempt: Attempt, room: Room, checkout: Parameters<typeof pathsIn>[1]): Promise<void> {
  const { workspace, gitDir } = pathsIn(room, checkout);
  const script = `set -eu
cd '${workspace}'
mkdir -p '${gitDir}/info'
git --git-dir='${gitDir}' --work-tree=. -c core.quotePath=false -c core.fsmonitor=false ls-files -o --exclude-standard |
  sed 's/[][*?\\\\ !#]/\\\\&/g; s|^|/|' > '${gitDir}/info/exclude'`;
  await runScript(room, script, { problem: 'The files of the setup could not be listed', signal: attempt.signal });
}

const endKnownMs = 2_000;

/** Puts the workspace into a new sandbox, as the last checkpoint has it. Once an attempt; then the session fails. */
export async function replaceSandbox(attempt: Attempt, workspace: Workspace, cause: ProviderError): Promise<void> {
  const { workplace, checkpoints, room, prompt, equipment } = workspace;
  // What was waiting in it fails a moment before it is known why it ended.
  const ended = await Promise.race([room.sandbox.ended, delay(endKnownMs, undefined, { ref: false })]);
  const why =
    ended === undefined
      ? cause.message.replace(/[^.]$/, '$&.')
      : `The sandbox ended: ${ended.reason.replaceAll('_', ' ')}, ${ended.detail}.`;
  if (workspace.replaced) throw new RunFailed('sandbox_lost', why, { sandboxState: 'missing' });
  workspace.replaced = true;
  attempt.warn('sandbox_replaced', `${why} The work goes on in a new sandbox from the last checkpoint.`);
  void equipment.close();
  attempt.discard(room.sandbox);
  workspace.agent = undefined;
  workspace.room = await openRoom(attempt, workplace, 'agent');
  checkpoints.moveTo(workspace.room);
  await fill(attempt, workplace, workspace.room, checkpoints);
  workspace.equipment = equip({ attempt, workplace, room: workspace.room, prompt });
  await placeAttachments(attempt, workspace.room);
}
