import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../../../adapters/agent/port.ts';
import type { SandboxPlaces } from '../../../adapters/sandbox/port.ts';
import type { AgentCheck } from '../../../lib/agent-config.ts';
import type { ProviderError } from '../../../lib/errors.ts';
import { placeAttachments } from '../workspace/attachments.ts';
import { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import { SecretScanner } from '../secrets/secret-scanner.ts';
import { AgentLog } from './agent-log.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { chooseCheck } from '../checks/check.ts';
import { Checkpoints, initialChanges } from '../checkpoints/checkpoints.ts';
import { PrewarmedSandbox } from '../workspace/prewarmed-sandbox.ts';
import { RunFailed } from '../attempt/control.ts';
import { provideContext, type SessionContext } from '../context/session-context.ts';
import { recordedResult } from '../checks/outcome.ts';
import { LiveWorkspace } from '../live/live-workspace.ts';
import { OutputCollector } from './output-collector.ts';
import { fetchCheckpoints, restoreInto } from '../checkpoints/restore.ts';
import { awaitRegistries, provision } from '../attempt/provisioning.ts';
import { checkOut, sandboxPaths } from '../workspace/check-out.ts';
import { openLazily, openSandbox, runScript, type SessionSandbox } from '../workspace/sandboxes.ts';
import { setUp } from '../workspace/setup.ts';
import { hasAllMirrors, type CheckoutSet } from '../workspace/checkout-set.ts';
import { syncRepositories } from '../workspace/sync-mirrors.ts';
import { openCheckouts } from '../workspace/checkouts.ts';

/** The agent's workspace: its sandbox with the repositories, and their checkpoints. */
export interface Workspace {
  readonly checkoutSet: CheckoutSet;
  /** The clean sandbox of the phase reproduce, if the phase will run. */
  readonly baseSandbox: PrewarmedSandbox;
  readonly checkpoints: Checkpoints;
  readonly scanner: SecretScanner;
  readonly log: AgentLog;
  readonly output: OutputCollector;
  /** The session's prompt and the run's first message, by which context is selected. */
  readonly prompt: string;
  sessionSandbox: SessionSandbox;
  /** Knowledge and tools of the agent in this sandbox. */
  context: SessionContext;
  agent: Agent | undefined;
  /** The terminals and previews of people in the sandbox. */
  live: LiveWorkspace;
  /** The sandbox was replaced, which is allowed once per turn. */
  replaced: boolean;
}

/**
 * Creates an attempt's workspace, with the repositories at their base or at the newest checkpoint. `text` is the message of
 * its first turn.
 */
export async function openWorkspace(attempt: Attempt, text: string): Promise<Workspace> {
  const checkoutSet = await openCheckouts(attempt);
  const registries = awaitRegistries(attempt, mayInstall(attempt, checkoutSet));
  const isEarly = canStartEarly(checkoutSet);
  const lazily = placesIfLazy(attempt);
  const baseSandbox = new PrewarmedSandbox(attempt, checkoutSet, 'reproduce');
  const reproduces = willReproduce(attempt);
  let early = isEarly && lazily === undefined ? openSandbox(attempt, checkoutSet, 'agent') : undefined;
  early?.catch(() => undefined);
  if (isEarly && reproduces) baseSandbox.open();
  const [{ moved }] = await Promise.all([syncRepositories(attempt, checkoutSet), registries]);
  if (moved) {
    // A sandbox that started before a mirror moved still mounts the old directory.
    baseSandbox.discard();
    early = undefined;
  }
  await setUp(attempt, checkoutSet);
  if (reproduces) baseSandbox.fill(({ baseCommit }) => baseCommit);
  const [sessionSandbox, { restored, memory }] = await Promise.all([
    lazily === undefined
      ? provision(attempt, sandboxStep, (signal) => early ?? openSandbox(attempt, checkoutSet, 'agent', signal))
      : openLazily(attempt, checkoutSet, lazily, (start) => provision(attempt, sandboxStep, start)),
    fetchWork(attempt, checkoutSet),
  ]);
  const calls = new ToolCallAttribution();
  const scanner = new SecretScanner(attempt.secrets);
  const changes = await initialChanges(attempt, checkoutSet, restored);
  const checkpoints = new Checkpoints(attempt, { sessionSandbox, changes, memory, calls, scanner });
  await fillSandbox(attempt, checkoutSet, sessionSandbox, checkpoints);
  const check = memory?.check ?? declaredCheck(attempt);
  const prompt = promptOf(attempt, text);
  const live = new LiveWorkspace(attempt, checkoutSet, sessionSandbox);
  return {
    checkoutSet,
    baseSandbox,
    prompt,
    sessionSandbox,
    live,
    context: provideContext({ attempt, checkoutSet, sessionSandbox, prompt, hasMemory: memory !== undefined }),
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
    remedy: "Check the worker's log and machine, then resume the session.",
  },
} as const;

/**
 * Returns the paths of the agent's sandbox if it starts only when it is used: without a repository and earlier work, an agent
 * whose loop runs in the worker may never use it.
 */
function placesIfLazy({ ctx, driver, progress }: Attempt): SandboxPlaces | undefined {
  const isEmpty = progress.repositories.length === 0 && progress.checkpoints.length === 0;
  return isEmpty && driver.capabilities.models === 'worker' ? ctx.sandbox.places : undefined;
}

const checkoutStep = {
  step: 'checkout',
  subject: '',
  doing: 'Checking the repositories out in the sandbox.',
  late: {
    detail: 'clone_failed',
    what: 'The repositories were not checked out in the sandbox',
    remedy: "Check the worker's machine, then resume the session.",
  },
} as const;

const checkpointStep = {
  step: 'checkpoint',
  subject: '',
  doing: "Fetching the session's checkpoints.",
  late: {
    detail: 'agent_error',
    what: 'The checkpoints of the session were not fetched',
    remedy: 'Check the blob store, then resume the session.',
  },
} as const;

/** Fetches the newest checkpoints, if there are any. */
function fetchWork(attempt: Attempt, checkoutSet: CheckoutSet): ReturnType<typeof fetchCheckpoints> {
  const fetch = () => fetchCheckpoints(attempt, checkoutSet);
  return attempt.progress.checkpoints.length === 0 ? fetch() : provision(attempt, checkpointStep, fetch);
}

/** True if a sandbox of the session may reach package registries. */
function mayInstall({ settings }: Pick<Attempt, 'settings'>, { checkouts }: CheckoutSet): boolean {
  return settings.sandbox.network !== 'none' || checkouts.some(({ setupCommand }) => setupCommand !== '');
}

/** Joins the session's prompt and a message; the first turn's message begins with the prompt already. */
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
  return check !== undefined && recordedResult(progress.phases, check) === undefined;
}

/** The check that the agent's configuration declares. */
function declaredCheck({ agent, driver }: Pick<Attempt, 'agent' | 'driver'>): AgentCheck | undefined {
  return driver.declaredWork?.(agent.runtime_config)?.check;
}

/** With existing mirrors and no setup command, a sandbox can start while the mirrors are updated. */
function canStartEarly(checkoutSet: CheckoutSet): boolean {
  return checkoutSet.checkouts.every(({ setupCommand }) => setupCommand === '') && hasAllMirrors(checkoutSet);
}

/** Checks the repositories out at their base or newest checkpoint; reported unless all of them are empty. */
async function fillSandbox(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  sessionSandbox: SessionSandbox,
  checkpoints: Checkpoints,
): Promise<void> {
  const work = () => fill(attempt, checkoutSet, sessionSandbox, checkpoints);
  if (checkpoints.changes.some(({ checkout }) => checkout.baseCommit !== ''))
    await provision(attempt, checkoutStep, work);
  else await work();
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

/** Excludes the setup's untracked files from the session's changes. */
async function ignoreLayer(
  attempt: Pick<Attempt, 'control'>,
  sessionSandbox: SessionSandbox,
  checkout: Parameters<typeof sandboxPaths>[1],
): Promise<void> {
  const { workspace, gitDir } = sandboxPaths(sessionSandbox, checkout);
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

/** Restores the workspace from the last checkpoint in a new sandbox. Throws RunFailed the second time in a turn. */
export async function replaceSandbox(attempt: Attempt, workspace: Workspace, cause: ProviderError): Promise<void> {
  const { checkoutSet, checkpoints, sessionSandbox, prompt, context } = workspace;
  // Calls into a sandbox fail a moment before the reason for its end is known.
  const ended = await Promise.race([sessionSandbox.sandbox.ended, delay(endKnownMs, undefined, { ref: false })]);
  const why =
    ended === undefined
      ? cause.message.replace(/[^.]$/, '$&.')
      : `The sandbox ended: ${ended.reason.replaceAll('_', ' ')}, ${ended.detail}.`;
  if (workspace.replaced) throw new RunFailed('sandbox_lost', why, { sandboxState: 'missing' });
  workspace.replaced = true;
  attempt.events.warn('sandbox_replaced', `${why} The session continues in a new sandbox from the last checkpoint.`);
  void context.close();
  attempt.resources.discard(sessionSandbox.sandbox);
  workspace.agent = undefined;
  workspace.sessionSandbox = await provision(attempt, sandboxStep, (signal) =>
    openSandbox(attempt, checkoutSet, 'agent', signal),
  );
  checkpoints.moveTo(workspace.sessionSandbox);
  workspace.live.moveTo(workspace.sessionSandbox);
  await fillSandbox(attempt, checkoutSet, workspace.sessionSandbox, checkpoints);
  workspace.context = provideContext({
    attempt,
    checkoutSet,
    sessionSandbox: workspace.sessionSandbox,
    prompt,
    hasMemory: checkpoints.memory !== undefined,
  });
  await placeAttachments(attempt, workspace.sessionSandbox);
}
