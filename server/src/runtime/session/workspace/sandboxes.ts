import type { Sandbox, SandboxLimits, SandboxMounts } from '../../../adapters/sandbox/port.ts';
import type { StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import { withCredentials, withGitConfig } from '../../../gateway/environment.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { gitCredentialHelpers } from '../secrets/brokered-credentials.ts';
import { tailText } from '../log/output.ts';
import type { SecretAudience } from '../secrets/run-secrets.ts';
import { browserProblem } from '../../browser/problem.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';

/** What a sandbox of the attempt may use. */
export function limitsOf({ settings: { sandbox } }: Pick<Attempt, 'settings'>): SandboxLimits {
  const { cpu, memory_mb, disk_mb, pids } = sandbox;
  return { cpu, memory_mb, disk_mb, pids };
}

export const gitTimeoutMs = 10 * 60_000;

/** A sandbox of the attempt and the environment of every command in it. */
export interface SessionSandbox {
  readonly sandbox: Sandbox;
  /** Undefined where it sees nothing of this host. */
  readonly mounts: SandboxMounts | undefined;
  /** What is in it whatever the session's secrets are; no secret replaces it. */
  base: Readonly<Record<string, string>>;
  /** The same as the network is now. */
  currentBase(): Promise<Readonly<Record<string, string>>>;
  env: Readonly<Record<string, string>>;
  /** Which of the session's secrets are for it. */
  readonly secrets: SecretAudience;
}

/** `agent` lives as long as the attempt; the others are clean sandboxes for one thing. */
export type SandboxPurpose = 'agent' | 'setup' | 'reproduce' | 'verify';

let opened = 0;

/** Starts a sandbox that the attempt owns. One that does not start is tried once more. */
export async function openSandbox(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  purpose: SandboxPurpose,
  signal: AbortSignal = attempt.control.signal,
): Promise<SessionSandbox> {
  try {
    return await open(attempt, checkoutSet, purpose, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Nobody waits for a sandbox that was begun ahead of its use when all is over.
    if (!(error instanceof ProviderError) || attempt.resources.isClosed) throw error;
    if (!error.retryable) throw lost(error);
    attempt.events.warn('sandbox_retried', error.message);
  }
  try {
    return await open(attempt, checkoutSet, purpose, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError ? lost(error) : error;
  }
}

function lost(error: ProviderError): RunFailed {
  return new RunFailed('sandbox_lost', error.message, { sandboxState: 'error' });
}

async function open(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  purpose: SandboxPurpose,
  signal: AbortSignal,
): Promise<SessionSandbox> {
  const { checkouts, layer } = checkoutSet;
  const door = purpose === 'agent' ? checkoutSet.door : checkoutSet.checkDoor;
  const { ctx, run } = attempt;
  // Never one that an earlier attempt, or another sandbox of this one, wrote to.
  opened += 1;
  const { mounts } = ctx.sandbox;
  const browserFiles = purpose === 'agent' && (await browserProblem(ctx)) === '' ? ctx.browser.readOnly : [];
  const readable = [...checkouts.flatMap((checkout) => readableBy(purpose, checkout)), ...browserFiles];
  const sandbox = await attempt.resources.createSandbox({
    id: `${run.id}-${run.fence}-${purpose}-${opened}`,
    limits: limitsOf(attempt),
    gateway: door.address,
    ...(mounts === undefined ? {} : { mounts: readable }),
    ...(layer === undefined ? {} : { layer }),
    onNotice: (text) => attempt.events.warn('processes_ended', text),
    signal,
  });
  const currentBase = async (): Promise<Readonly<Record<string, string>>> => ({
    ...(await door.environment(sandbox.gatewayUrl)),
    ...outputVariable(attempt, purpose, sandbox),
  });
  const base = await currentBase();
  const sessionSandbox: SessionSandbox = {
    sandbox,
    mounts,
    base,
    currentBase,
    env: base,
    secrets: purpose === 'agent' ? 'agent' : 'checks',
  };
  // What a setup leaves is shared by sessions.
  if (purpose !== 'setup') await injectSecrets(attempt, sessionSandbox);
  return sessionSandbox;
}

/**
 * Brings the session's secrets into a sandbox as they are now: variables of every command, files in memory, and ways to the
 * hosts of those that stay outside.
 */
export async function injectSecrets({ secrets }: Attempt, sessionSandbox: SessionSandbox): Promise<void> {
  sessionSandbox.base = await sessionSandbox.currentBase();
  const { sandbox, base } = sessionSandbox;
  const { variables, files, gitFiles } = secrets.entering(sessionSandbox.secrets);
  const written = { ...files, ...gitFiles };
  const paths = Object.keys(written).length === 0 ? {} : await sandbox.writeSecrets(written);
  const named = Object.entries(paths).filter(([key]) => Object.hasOwn(files, key));
  const gitPaths = Object.fromEntries(Object.entries(paths).filter(([key]) => Object.hasOwn(gitFiles, key)));
  const platform = withCredentials(base, sandbox.gatewayUrl, secrets.brokered(sessionSandbox.secrets));
  sessionSandbox.env = withGitConfig(
    { ...variables, ...Object.fromEntries(named), ...platform },
    gitCredentialHelpers(secrets.given(sessionSandbox.secrets), gitPaths),
  );
}

/** An agent sees what was upstream; only a clean sandbox at a commit of this session sees what the session made. */
function readableBy(purpose: SandboxPurpose, { mirrorPath, checkpointsPath }: Checkout): string[] {
  const mirror = mirrorPath === '' ? [] : [mirrorPath];
  return purpose === 'verify' ? [...mirror, checkpointsPath] : mirror;
}

/** What the session is to hand in beside its work; undefined when it is nothing. */
export function wantedOutput({
  session: { options },
}: Pick<Attempt, 'session'>): { schema: Record<string, unknown>; required: boolean } | undefined {
  const { structured_output_schema: schema, structured_output_required: required } = options;
  if (typeof schema !== 'object' || schema === null) return undefined;
  return { schema: { ...schema }, required: required === true };
}

/** Where an agent that has no tool for it writes its output: outside the work tree, so that it is no part of the change. */
export function outputFileIn({ home }: Pick<Sandbox, 'home'>): string {
  return `${home}/.guildhall/output.json`;
}

function outputVariable(
  attempt: Pick<Attempt, 'session' | 'driver'>,
  purpose: SandboxPurpose,
  sandbox: Sandbox,
): Record<string, string> {
  const writesFile =
    purpose === 'agent' && !attempt.driver.capabilities.takesTools && wantedOutput(attempt) !== undefined;
  return writesFile ? { GUILDHALL_OUTPUT: outputFileIn(sandbox) } : {};
}

/** Runs a script of the platform's own; its failure is the session's, by default as one that could not be cloned. */
export async function runScript(
  { sandbox }: SessionSandbox,
  script: string,
  options: { problem: string; signal: AbortSignal; failure?: { detail: StatusDetail; code: string } },
): Promise<string> {
  const { problem, signal, failure } = options;
  const result = await sandbox.exec({ command: script, timeoutMs: gitTimeoutMs, signal });
  if (result.exitCode === 0) return result.stdout.toString('utf8');
  if (result.timedOut)
    throw new RunFailed(
      failure?.detail ?? 'clone_failed',
      `${problem} within ${gitTimeoutMs / 60_000} minutes: git was stopped. The repository may be too large for its sandbox.`,
      failure ?? {},
    );
  const said = tailText(result.stderr).trim();
  const why = /No space left on device|Disk quota exceeded/.test(said)
    ? "the sandbox's disk is full."
    : said || `exit code ${result.exitCode}`;
  throw new RunFailed(failure?.detail ?? 'clone_failed', `${problem}: ${why}`, failure ?? {});
}
