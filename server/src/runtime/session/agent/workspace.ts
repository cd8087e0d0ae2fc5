import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../../../adapters/agent/port.ts';
import { noteSandbox } from '../../../features/sessions/run/run-service.ts';
import type { AgentCheck } from '../../../lib/agent-config.ts';
import type { ProviderError } from '../../../lib/errors.ts';
import { placeAttachments } from '../workspace/attachments.ts';
import { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import { SecretScanner } from '../secrets/secret-scanner.ts';
import { AgentLog } from './agent-log.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { chooseCheck } from '../checks/check.ts';
import { Checkpoints, loadChanges } from '../checkpoints/checkpoints.ts';
import { PrewarmedSandbox } from '../workspace/prewarmed-sandbox.ts';
import { RunFailed } from '../attempt/control.ts';
import { provideContext, type SessionContext } from '../context/session-context.ts';
import { reproducedBefore } from '../checks/outcome.ts';
import { OutputCollector } from './output-collector.ts';
import { fetchCheckpoints, restoreInto } from '../checkpoints/restore.ts';
import { awaitRegistries, provision } from '../attempt/provisioning.ts';
import { checkOut, pathsIn } from '../workspace/check-out.ts';
import { openSandbox, limitsOf, runScript, type SessionSandbox } from '../workspace/sandboxes.ts';
import { setUp } from '../workspace/setup.ts';
import { hasAllMirrors, type CheckoutSet } from '../workspace/checkout-set.ts';
import { syncRepositories } from '../workspace/sync-mirrors.ts';
import { openCheckouts } from '../workspace/checkouts.ts';

/** Where the agent works: its sandbox with the repositories, and what is kept of it. */
export interface Workspace {
  readonly checkoutSet: CheckoutSet;
  /** The clean sandbox of the phase reproduce, where it is certain to be needed. */
  readonly baseSandbox: PrewarmedSandbox;
  readonly checkpoints: Checkpoints;
  readonly scanner: SecretScanner;
  readonly log: AgentLog;
  readonly output: OutputCollector;
  /** What the session is about, for what is found out about it: its prompt, and the words that began the run. */
  readonly prompt: string;
  sessionSandbox: SessionSandbox;
  /** What the agent in the sandbox is given to know and use. */
  context: SessionContext;
  agent: Agent | undefined;
  /** Whether its sandbox was replaced already, which an attempt may do once. */
  replaced: boolean;
}

/**
 * Makes the workspace of an attempt: the repositories at their base, or as the newest checkpoint has them. `text` are the
 * words of its first turn.
 */
export async function openWorkspace(attempt: Attempt, text: string): Promise<Workspace> {
  const checkoutSet = await openCheckouts(attempt);
  const registries = awaitRegistries(attempt, mayInstall(attempt, checkoutSet));
  const isEarly = canStartEarly(checkoutSet);
  const baseSandbox = new PrewarmedSandbox(attempt, checkoutSet, 'reproduce');
  const reproduces = willReproduce(attempt);
  let early = isEarly ? openSandbox(attempt, checkoutSet, 'agent') : undefined;
  early?.catch(() => undefined);
  if (isEarly && reproduces) baseSandbox.open();
  const [{ moved }] = await Promise.all([syncRepositories(attempt, checkoutSet), noteIsolation(attempt), registries]);
  if (moved) {
    // Sandboxes that were started before a mirror changed its place still see the old one.
    baseSandbox.discard();
    early = undefined;
  }
  await setUp(attempt, checkoutSet);
  if (reproduces) baseSandbox.fill(({ baseCommit }) => baseCommit);
  const [sessionSandbox, { restored, memory }] = await Promise.all([
    provision(attempt, sandboxStep, (signal) => early ?? openSandbox(attempt, checkoutSet, 'agent', signal)),
    fetchWork(attempt, checkoutSet),
  ]);
  const calls = new ToolCallAttribution();
  const scanner = new SecretScanner(attempt.secrets);
  const changes = await loadChanges(attempt, checkoutSet, restored);
  const checkpoints = new Checkpoints(attempt, { sessionSandbox, changes, memory, calls, scanner });
  if (changes.some(({ checkout }) => checkout.baseCommit !== ''))
    await provision(attempt, checkoutStep, () => fill(attempt, checkoutSet, sessionSandbox, checkpoints));
  else await fill(attempt, checkoutSet, sessionSandbox, checkpoints);
  const check = memory?.check ?? declaredCheck(attempt);
  const prompt = promptOf(attempt, text);
  return {
    checkoutSet,
    baseSandbox,
    prompt,
    sessionSandbox,
    context: provideContext({ attempt, checkoutSet, sessionSandbox, prompt }),
    checkpoints,
    scanner,
    log: new AgentLog(attempt, calls, check),
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
function fetchWork(attempt: Attempt, checkoutSet: CheckoutSet): ReturnType<typeof fetchCheckpoints> {
  const fetch = () => fetchCheckpoints(attempt, checkoutSet);
  return attempt.progress.checkpoints.length === 0 ? fetch() : provision(attempt, checkpointStep, fetch);
}

/** Whether a sandbox of the session will reach package registries. */
function mayInstall({ settings }: Pick<Attempt, 'settings'>, { checkouts }: CheckoutSet): boolean {
  return settings.sandbox.network !== 'none' || checkouts.some(({ setupCommand }) => setupCommand !== '');
}

/** The first turn's words begin with the session's prompt already. */
function promptOf({ session }: Pick<Attempt, 'session'>, text: string): string {
  return text.startsWith(session.prompt) ? text : [session.prompt, text].filter((part) => part !== '').join('\n\n');
}

function willReproduce({
  agent,
  driver,
  mode,
  session,
  progress,
}: Pick<Attempt, 'agent' | 'driver' | 'mode' | 'session' | 'progress'>): boolean {
  if (mode !== 'build') return false;
  const agentCheck = declaredCheck({ agent, driver });
  const check = chooseCheck({ sessionCommand: session.verify_command, agentCheck, repositories: [] });
  return check !== undefined && reproducedBefore(progress.phases, check) === undefined;
}

/** The check that the agent's configuration declares before the agent says anything. */
function declaredCheck({ agent, driver }: Pick<Attempt, 'agent' | 'driver'>): AgentCheck | undefined {
  return driver.declaredWork?.(agent.runtime_config)?.check;
}

/** With warm mirrors and nothing to set up, a sandbox can start while the mirrors are brought up to date. */
function canStartEarly(checkoutSet: CheckoutSet): boolean {
  return checkoutSet.checkouts.every(({ setupCommand }) => setupCommand === '') && hasAllMirrors(checkoutSet);
}

async function noteIsolation(attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'settings'>): Promise<void> {
  const { ctx, run, session } = attempt;
  const { isolation } = await ctx.sandbox.probe();
  const sandbox = { driver: ctx.sandbox.name, isolation, limits: limitsOf(attempt) };
  if (JSON.stringify(sandbox) !== JSON.stringify(session.sandbox)) await noteSandbox(ctx, run, sandbox);
}

async function fill(
  attempt: Pick<Attempt, 'control' | 'settings' | 'resources'>,
  checkoutSet: CheckoutSet,
  sessionSandbox: SessionSandbox,
  { changes }: Checkpoints,
): Promise<void> {
  for (const { checkout, commit } of changes) {
    await checkOut(attempt, sessionSandbox, checkout);
    if (checkoutSet.layer !== undefined) await ignoreLayer(attempt, sessionSandbox, checkout);
    await restoreInto(attempt, sessionSandbox, checkout, commit);
  }
}

/** What the setup left beside the repository's own files is no change of the session. */
async function ignoreLayer(
  attempt: Pick<Attempt, 'control'>,
  sessionSandbox: SessionSandbox,
  checkout: Parameters<typeof pathsIn>[1],
): Promise<void> {
  const { workspace, gitDir } = pathsIn(sessionSandbox, checkout);
  const script = `set -eu
cd '${workspace}'
mkdir -p '${gitDir}/info'
git --git-dir='${gitDir}' --work-tree=. -c core.quotePath=false -c core.fsmonitor=false ls-files -o --exclude-standard |
  sed 's/[][*?\\\\ !#]/\\\\&/g; s|^|/|' > '${gitDir}/info/exclude'`;
  await runScript(sessionSandbox, script, {
    problem: 'The files of the setup could not be listed',
    signal: attempt.control.signal,
  });
}

const endKnownMs = 2_000;

/** Puts the workspace into a new sandbox, as the last checkpoint has it. Once an attempt; then the session fails. */
export async function replaceSandbox(attempt: Attempt, workspace: Workspace, cause: ProviderError): Promise<void> {
  const { checkoutSet, checkpoints, sessionSandbox, prompt, context } = workspace;
  // What was waiting in it fails a moment before it is known why it ended.
  const ended = await Promise.race([sessionSandbox.sandbox.ended, delay(endKnownMs, undefined, { ref: false })]);
  const why =
    ended === undefined
      ? cause.message.replace(/[^.]$/, '$&.')
      : `The sandbox ended: ${ended.reason.replaceAll('_', ' ')}, ${ended.detail}.`;
  if (workspace.replaced) throw new RunFailed('sandbox_lost', why, { sandboxState: 'missing' });
  workspace.replaced = true;
  attempt.events.warn('sandbox_replaced', `${why} The work goes on in a new sandbox from the last checkpoint.`);
  void context.close();
  attempt.resources.discard(sessionSandbox.sandbox);
  workspace.agent = undefined;
  workspace.sessionSandbox = await openSandbox(attempt, checkoutSet, 'agent');
  checkpoints.moveTo(workspace.sessionSandbox);
  await fill(attempt, checkoutSet, workspace.sessionSandbox, checkpoints);
  workspace.context = provideContext({ attempt, checkoutSet, sessionSandbox: workspace.sessionSandbox, prompt });
  await placeAttachments(attempt, workspace.sessionSandbox);
}
