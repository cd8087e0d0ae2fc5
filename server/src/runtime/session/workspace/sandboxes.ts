import type { Sandbox, SandboxLimits, SandboxMounts, SandboxPlaces } from '../../../adapters/sandbox/port.ts';
import type { StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import { withCredentials, withGitConfig } from '../../../gateway/environment.ts';
import type { GatewayEndpoint } from '../../../gateway/gateway.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { gitCredentialHelpers } from '../secrets/brokered-credentials.ts';
import { tailText } from '../log/output.ts';
import type { SecretAudience } from '../secrets/run-secrets.ts';
import { browserFiles } from '../../browser/problem.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';
import { createLazySandbox } from './lazy-sandbox.ts';

/** Limits of the attempt's sandboxes. */
function sandboxLimits({ settings: { sandbox } }: Pick<Attempt, 'settings'>): SandboxLimits {
  const { cpu, memory_mb, disk_mb, pids } = sandbox;
  return { cpu, memory_mb, disk_mb, pids };
}

/** Returns the isolation of the attempt's sandboxes; undefined if the session's record has it. */
export async function newIsolation({
  ctx,
  session,
  settings,
}: Pick<Attempt, 'ctx' | 'session' | 'settings'>): Promise<Record<string, unknown> | undefined> {
  const { isolation } = await ctx.sandbox.probe();
  const sandbox = { driver: ctx.sandbox.name, isolation, limits: sandboxLimits({ settings }) };
  return JSON.stringify(sandbox) === JSON.stringify(session.sandbox) ? undefined : sandbox;
}

export const gitTimeoutMs = 10 * 60_000;

/** A sandbox of the attempt and the environment of every command in it. */
export interface SessionSandbox {
  readonly sandbox: Sandbox;
  /** Undefined if the sandbox cannot mount this host's directories. */
  readonly mounts: SandboxMounts | undefined;
  /** Variables that do not depend on secrets; a secret cannot replace them. */
  base: Readonly<Record<string, string>>;
  /** Computes `base` for the current network settings. */
  currentBase(): Promise<Readonly<Record<string, string>>>;
  env: Readonly<Record<string, string>>;
  /** False until something in it is used, if it starts only then. */
  isStarted(): boolean;
  /** Selects the session's secrets for this sandbox. */
  readonly secrets: SecretAudience;
}

/** The `agent` sandbox lives as long as the attempt; the others are clean sandboxes for one use. */
export type SandboxPurpose = 'agent' | 'setup' | 'reproduce' | 'verify';

let opened = 0;

/** Starts a sandbox of the attempt. Retries once. */
export async function openSandbox(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  purpose: SandboxPurpose,
  signal: AbortSignal = attempt.control.signal,
): Promise<SessionSandbox> {
  return retryOnce(attempt, signal, async () => {
    const sandbox = await create(attempt, checkoutSet, purpose, signal);
    return enter(attempt, checkoutSet, purpose, { sandbox, isStarted: () => true });
  });
}

/** Provides the agent's sandbox, which starts when something in it is used. `start` runs the given start as a step. */
export async function openLazily(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  places: SandboxPlaces,
  start: (work: (signal: AbortSignal) => Promise<Sandbox>) => Promise<Sandbox>,
): Promise<SessionSandbox> {
  const sandbox = createLazySandbox(attempt.run.id, places, async () => {
    try {
      return await start((signal) => retryOnce(attempt, signal, () => create(attempt, checkoutSet, 'agent', signal)));
    } catch (error) {
      // The agent reports a lost sandbox, and the turn goes on in another one.
      throw error instanceof RunFailed ? new ProviderError(error.message, { retryable: true, cause: error }) : error;
    }
  });
  return enter(attempt, checkoutSet, 'agent', { sandbox, isStarted: () => sandbox.isStarted });
}

async function retryOnce<T>(
  attempt: Pick<Attempt, 'resources' | 'events'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    // After the attempt's end a prewarmed sandbox is not retried.
    if (!(error instanceof ProviderError) || attempt.resources.isClosed) throw error;
    if (!error.retryable) throw toSandboxLost(error);
    attempt.events.warn('sandbox_retried', error.message);
  }
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError ? toSandboxLost(error) : error;
  }
}

function toSandboxLost(error: ProviderError): RunFailed {
  return new RunFailed('sandbox_lost', error.message, { sandboxState: 'error' });
}

async function create(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  purpose: SandboxPurpose,
  signal: AbortSignal,
): Promise<Sandbox> {
  const { checkouts, layer } = checkoutSet;
  const { ctx, run } = attempt;
  // A unique id, so that it never reuses the files of another sandbox.
  opened += 1;
  const { mounts } = ctx.sandbox;
  const ofBrowser = purpose === 'agent' ? await browserFiles(ctx) : [];
  const readable = [...checkouts.flatMap((checkout) => readableDirectories(purpose, checkout)), ...ofBrowser];
  return attempt.resources.createSandbox({
    id: `${run.id}-${run.fence}-${purpose}-${opened}`,
    limits: sandboxLimits(attempt),
    gateway: await endpointOf(checkoutSet, purpose).address(),
    ...(mounts === undefined ? {} : { mounts: readable }),
    ...(layer === undefined ? {} : { layer }),
    onNotice: (text) => attempt.events.warn('processes_ended', text),
    signal,
  });
}

function endpointOf({ endpoint, checkEndpoint }: CheckoutSet, purpose: SandboxPurpose): GatewayEndpoint {
  return purpose === 'agent' ? endpoint : checkEndpoint;
}

/** Computes the environment of a sandbox, and injects the session's secrets. */
async function enter(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  purpose: SandboxPurpose,
  { sandbox, isStarted }: Pick<SessionSandbox, 'sandbox' | 'isStarted'>,
): Promise<SessionSandbox> {
  const endpoint = endpointOf(checkoutSet, purpose);
  const currentBase = async (): Promise<Readonly<Record<string, string>>> => ({
    ...(await endpoint.environment(sandbox.gatewayUrl)),
    ...outputVariable(attempt, purpose, sandbox),
  });
  const base = await currentBase();
  const sessionSandbox: SessionSandbox = {
    sandbox,
    isStarted,
    mounts: attempt.ctx.sandbox.mounts,
    base,
    currentBase,
    env: base,
    secrets: purpose === 'agent' ? 'agent' : 'checks',
  };
  // A setup's layer is shared by sessions, so it gets no secrets.
  if (purpose !== 'setup') await injectSecrets(attempt, sessionSandbox);
  return sessionSandbox;
}

/**
 * Injects the session's current secrets into a sandbox: variables for every command, files in memory, and URLs of brokered
 * hosts.
 */
export async function injectSecrets({ secrets }: Attempt, sessionSandbox: SessionSandbox): Promise<void> {
  sessionSandbox.base = await sessionSandbox.currentBase();
  const { sandbox, base } = sessionSandbox;
  const { variables, files, gitFiles } = secrets.toInject(sessionSandbox.secrets);
  const written = { ...files, ...gitFiles };
  const paths = Object.keys(written).length === 0 ? {} : await sandbox.writeSecrets(written);
  const named = Object.entries(paths).filter(([key]) => Object.hasOwn(files, key));
  const gitPaths = Object.fromEntries(Object.entries(paths).filter(([key]) => Object.hasOwn(gitFiles, key)));
  const platform = withCredentials(base, sandbox.gatewayUrl, secrets.brokered(sessionSandbox.secrets));
  sessionSandbox.env = withGitConfig(
    { ...variables, ...Object.fromEntries(named), ...platform },
    gitCredentialHelpers(secrets.forAudience(sessionSandbox.secrets), gitPaths),
  );
}

/** Directories that a sandbox may read. Only the verify sandbox reads the session's own commits. */
function readableDirectories(purpose: SandboxPurpose, { mirrorPath, checkpointsPath }: Checkout): string[] {
  const mirror = mirrorPath === '' ? [] : [mirrorPath];
  return purpose === 'verify' ? [...mirror, checkpointsPath] : mirror;
}

/** The session's structured output option; undefined without a schema. */
export function wantedOutput({
  session: { options },
}: Pick<Attempt, 'session'>): { schema: Record<string, unknown>; required: boolean } | undefined {
  const { structured_output_schema: schema, structured_output_required: required } = options;
  if (typeof schema !== 'object' || schema === null) return undefined;
  return { schema: { ...schema }, required: required === true };
}

/** Path of the output file for an agent without tools, outside the work tree. */
export function outputFilePath({ home }: Pick<Sandbox, 'home'>): string {
  return `${home}/.guildhall/output.json`;
}

function outputVariable(
  attempt: Pick<Attempt, 'session' | 'driver'>,
  purpose: SandboxPurpose,
  sandbox: Sandbox,
): Record<string, string> {
  const writesFile =
    purpose === 'agent' && !attempt.driver.capabilities.takesTools && wantedOutput(attempt) !== undefined;
  return writesFile ? { GUILDHALL_OUTPUT: outputFilePath(sandbox) } : {};
}

/** The disk of a sandbox failed, for good: that of its machine was full or broken. */
export class SandboxDiskFailed extends ProviderError {
  constructor(said: string) {
    super(`${said} The sandbox's disk failed, as it does when that of its machine is full.`, { retryable: true });
  }
}

/** Runs a script of the platform. Throws RunFailed on failure, by default with `clone_failed`. */
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
      `${problem}: git was stopped after ${gitTimeoutMs / 60_000} minutes. The repository may be too large for its sandbox.`,
      failure ?? {},
    );
  const said = tailText(result.stderr).trim();
  if (/Read-only file system|Input\/output error/.test(said)) throw new SandboxDiskFailed(`${problem}: ${said}.`);
  const why = /No space left on device|Disk quota exceeded/.test(said)
    ? "the sandbox's disk is full."
    : said || `exit code ${result.exitCode}`;
  throw new RunFailed(failure?.detail ?? 'clone_failed', `${problem}: ${why}`, failure ?? {});
}
