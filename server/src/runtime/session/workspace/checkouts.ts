import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resolveRef } from '../../../git/bare.ts';
import { openCheckpoints } from '../../../git/checkpoints.ts';
import { readBranch, syncMirror, type MirrorResult } from '../../../git/mirror.ts';
import { holdMirror, newestOf } from '../../../git/mirror-generations.ts';
import type { CloneAccess } from '../../../adapters/source-control/port.ts';
import { refOf } from '../../../features/repositories/open-change-request.ts';
import { commandOfOthers, requireRepository } from '../../../features/repositories/service.ts';
import { holds, noteRepositories } from '../../../features/sessions/run/run-service.ts';
import type { StoredRepository } from '../../../features/sessions/schemas/session-schemas.ts';
import type { GatewayDoor } from '../../../gateway/gateway.ts';
import type { GatewaySession } from '../../../gateway/session.ts';
import { AppError, messageOf, ProviderError } from '../../../lib/errors.ts';
import { KeyMissing } from '../../../lib/models.ts';
import { apiAccess } from './api-access.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { branchName, directoriesOf } from './branch.ts';
import { OwnHostAway, RunFailed } from '../attempt/control.ts';
import { noteRefusal, permitModel, sessionModels } from './model-calls.ts';
import { gatewayRepository, runAccess } from './repository-access.ts';
import { readProject, type Project } from './project.ts';
import { commandConflict } from '../secrets/personal-secrets.ts';
import { provision } from '../attempt/provisioning.ts';
import type { SecretAudience } from '../secrets/run-secrets.ts';
import { builtInProvider } from '../../../lib/providers.ts';

/** One repository of the session, or its empty workspace, on this host. */
export interface Checkout {
  readonly index: number;
  /** `''` for an empty workspace. */
  readonly repositoryId: string;
  readonly provider: StoredRepository['provider'];
  readonly repo: string;
  /** The way to it; undefined for an empty workspace. */
  readonly access: CloneAccess | undefined;
  /** Below the workspace; `''` is the workspace itself. */
  readonly directory: string;
  /** Where its mirror is on this host; `''` for an empty workspace. */
  readonly mirror: string;
  /** The generation of the mirror that the attempt holds; `''` before there is one, and for an empty workspace. */
  mirrorPath: string;
  /** The bare repository that holds what this attempt made, and borrows from the mirror. */
  readonly checkpointsPath: string;
  readonly setupCommand: string;
  readonly verifyCommand: string;
  readonly defaultBranch: string;
  readonly branch: string;
  /** `''` in an empty workspace. */
  baseCommit: string;
  /** The upstream branch it began at; `''` when that was a tag or a commit. */
  baseBranch: string;
  project(): Promise<Project>;
}

/** Where an attempt works: its repositories on this host, and the way out of its sandboxes. */
export interface CheckoutSet {
  /** The agent's and the worker's own. */
  readonly door: GatewayDoor;
  /** That of sandboxes which run a setup or a check. */
  readonly checkDoor: GatewayDoor;
  readonly checkouts: readonly Checkout[];
  /** The base layer that its sandboxes start from. */
  layer: string | undefined;
}

const retryDelaysMs = [1_000, 3_000];

/** Finds the session's repositories and opens its door. A repository that is gone ends the session. */
export async function openCheckouts(attempt: Attempt): Promise<CheckoutSet> {
  const stored = attempt.repositories;
  const rows = await Promise.all(stored.map((repository) => findRepository(attempt, repository)));
  for (const row of rows) admitCommand(attempt, commandOfOthers(row, attempt.personalSecrets.owner));
  const directories = directoriesOf(stored.map(({ repo }) => repo));
  const checkouts = rows.map((row, index) =>
    checkoutOf(attempt, index, { ...row, directory: directories[index] ?? '' }),
  );
  for (const { mirror } of checkouts) attempt.hold(mirror);
  const repositories = checkouts.map((checkout) => gatewayRepository(attempt, checkout));
  await Promise.all(checkouts.map((checkout) => hold(attempt, checkout)));
  const { ctx, run, settings } = attempt;
  const open = (audience: SecretAudience) =>
    openDoor(attempt, {
      id: run.id,
      holds: () => holds(ctx, run),
      repositories,
      models: sessionModels(attempt),
      mask: () => attempt.secrets.mask,
      permitModel: (call) => permitModel(attempt, call),
      broker: () => attempt.secrets.brokered(audience),
      toolServers: () => attempt.toolServers,
      api: apiAccess(attempt),
      network: settings.sandbox.network,
      allowedHosts: settings.sandbox.allowed_hosts,
      onEvent: (event) => noteRefusal(attempt, event),
    });
  const [door, checkDoor] = await Promise.all([open('agent'), open('checks')]);
  await registerProviderKeys(attempt);
  attempt.secrets.add('the gateway', door.hostModel('').headers.authorization);
  return { door, checkDoor, checkouts: checkouts.length > 0 ? checkouts : [emptyCheckout(attempt)], layer: undefined };
}

async function openDoor(attempt: Attempt, session: GatewaySession): Promise<GatewayDoor> {
  const door = await attempt.ctx.gateway.open(session);
  attempt.onClose(() => door.close());
  return door;
}

/** No model is given these, but whoever runs one may put them into an answer. */
async function registerProviderKeys({ models, secrets }: Attempt): Promise<void> {
  for (const { name, key } of models.providers) {
    const value = await key().catch((error: unknown) => {
      if (error instanceof KeyMissing) return '';
      throw error;
    });
    secrets.add(`the key of ${name}`, value);
  }
}

/** Opens the network as far as the organization allows it now. */
export function openNetwork({ settings }: Attempt, { door, checkDoor }: CheckoutSet): void {
  for (const way of [door, checkDoor]) way.setNetwork(settings.sandbox.network, settings.sandbox.allowed_hosts);
}

/** A command that changed since the turn got its secrets. */
function admitCommand(attempt: Attempt, command: string): void {
  if (command === '' || attempt.personalSecrets.admit(command)) return;
  throw new RunFailed('agent_error', commandConflict(command), { code: 'secrets_unusable' });
}

type Row = Awaited<ReturnType<typeof requireRepository>>;

async function findRepository(attempt: Attempt, { repository_id, repo }: StoredRepository): Promise<Row> {
  try {
    return await requireRepository(attempt.ctx, attempt.run.orgId, repository_id);
  } catch (error) {
    if (error instanceof AppError) throw new RunFailed('clone_failed', `The repository ${repo} was deleted.`);
    throw error;
  }
}

function checkoutOf(attempt: Attempt, index: number, row: Row & { directory: string }): Checkout {
  const { ctx, run, session, settings, words } = attempt;
  const stored = attempt.repositories[index];
  const mirror = join(ctx.mirrorsDirectory, run.orgId, row.connection_id, `${row.id}.git`);
  let project: Promise<Project> | undefined;
  const checkout: Checkout = {
    index,
    repositoryId: row.id,
    provider: row.provider,
    repo: row.repo,
    access: ctx.sourceControl.of(row.provider).cloneAccess(refOf(run.orgId, row), runAccess(attempt, row.id)),
    directory: row.directory,
    mirror,
    mirrorPath: '',
    checkpointsPath: join(attempt.directory, `checkpoints-${index}.git`),
    setupCommand: row.setup_command,
    verifyCommand: row.verify_command,
    defaultBranch: row.default_branch,
    branch: stored?.branch || branchName(settings.source_control.branch_prefix, words.title, session.id),
    baseCommit: stored?.base_commit ?? '',
    baseBranch: '',
    project: () => (project ??= readProject(checkout.mirrorPath, checkout.baseCommit)),
  };
  return checkout;
}

function emptyCheckout(attempt: Attempt): Checkout {
  return {
    index: 0,
    repositoryId: '',
    provider: builtInProvider,
    repo: '',
    access: undefined,
    directory: '',
    mirror: '',
    mirrorPath: '',
    checkpointsPath: join(attempt.directory, 'checkpoints-0.git'),
    setupCommand: '',
    verifyCommand: '',
    defaultBranch: '',
    branch: 'main',
    baseCommit: '',
    baseBranch: '',
    project: async () => ({ files: new Map(), blobs: new Map() }),
  };
}

/** Whether every mirror exists already, so that a sandbox that sees them can be started before they are up to date. */
export function hasAllMirrors({ checkouts }: CheckoutSet): boolean {
  return checkouts.every(({ mirror, mirrorPath }) => mirror === '' || mirrorPath !== '');
}

/** Brings the mirrors up to date and settles the commits to begin with; answers whether a sandbox begun before sees others. */
export async function syncRepositories(attempt: Attempt, checkoutSet: CheckoutSet): Promise<{ moved: boolean }> {
  const moved = await Promise.all(
    checkoutSet.checkouts.map(async (checkout) => {
      const isMoved = await syncRepository(attempt, checkoutSet, checkout);
      const { checkpointsPath, mirrorPath } = checkout;
      await openCheckpoints(checkpointsPath, mirrorPath === '' ? {} : { mirrorPath });
      return isMoved;
    }),
  );
  const repositories = attempt.repositories.map((stored, index) => {
    const { baseCommit = '', branch = '' } = checkoutSet.checkouts[index] ?? {};
    return { ...stored, base_commit: baseCommit, branch };
  });
  if (JSON.stringify(repositories) !== JSON.stringify(attempt.repositories)) {
    await noteRepositories(attempt.ctx, attempt.run, repositories);
    attempt.repositories = repositories;
  }
  return { moved: moved.includes(true) };
}

async function syncRepository(attempt: Attempt, checkoutSet: CheckoutSet, checkout: Checkout): Promise<boolean> {
  if (checkout.mirror === '') return false;
  const ref = attempt.repositories[checkout.index]?.base_ref || checkout.defaultBranch;
  const before = checkout.mirrorPath;
  // A later attempt begins where the first one began: the mirror may have that, or another process may just leave it behind.
  for (let rounds = checkout.baseCommit === '' ? 1 : 2; rounds > 0 && !(await hasBase(checkout)); rounds -= 1) {
    await sync(attempt, checkoutSet, checkout);
    await hold(attempt, checkout);
  }
  const tip = await readBranch(checkout.mirrorPath, ref);
  checkout.baseBranch = tip === undefined ? '' : ref;
  if (checkout.baseCommit === '') {
    const commit = tip ?? (await resolveRef(checkout.mirrorPath, ref));
    if (commit === undefined)
      throw new RunFailed('clone_failed', `The repository ${checkout.repo} has no ${JSON.stringify(ref)}.`);
    checkout.baseCommit = commit;
  }
  return checkout.mirrorPath !== before;
}

async function hasBase({ mirrorPath, baseCommit }: Checkout): Promise<boolean> {
  return mirrorPath !== '' && baseCommit !== '' && (await resolveRef(mirrorPath, baseCommit)) !== undefined;
}

/** Holds the newest generation of a mirror until the attempt is over, and what it held before, which sandboxes may see. */
async function hold(attempt: Attempt, checkout: Checkout): Promise<void> {
  if (checkout.mirror === '' || (await newestOf(checkout.mirror)) === checkout.mirrorPath) return;
  const held = await holdMirror(checkout.mirror);
  if (held === undefined) return;
  attempt.onClose(held.release);
  checkout.mirrorPath = held.path;
}

function sync(attempt: Attempt, checkoutSet: CheckoutSet, checkout: Checkout): Promise<MirrorResult> {
  const { repo } = checkout;
  const late = {
    detail: 'clone_failed',
    what: `The copy of ${repo} on the worker's machine was not brought up to date`,
    remedy: "Look whether the worker reaches the repository's host; then resume the session.",
  } as const;
  const doing = `Bringing the copy of ${repo} on the worker's machine up to date.`;
  return provision(attempt, { step: 'mirror', subject: repo, doing, late }, (signal) =>
    syncPatiently(attempt, checkoutSet, checkout, signal),
  );
}

async function syncPatiently(
  attempt: Attempt,
  { door }: CheckoutSet,
  checkout: Checkout,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const { baseCommit, provider, repo } = checkout;
  for (let round = 0; ; round += 1) {
    try {
      return await syncMirror({
        path: checkout.mirror,
        remote: door.hostRemote({ provider, repo }),
        commits: baseCommit === '' ? [] : [baseCommit],
        timeoutMs: attempt.ctx.stepLimitsMs.mirror,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = retryDelaysMs[round];
      const unreachable = error instanceof ProviderError && error.retryable;
      // Another worker may reach the installation's own host: that is not the session's to bear.
      if (unreachable && delayMs === undefined && checkout.access?.exempt === true)
        throw new OwnHostAway(
          `The worker ${attempt.ctx.config.processId} could not fetch ${repo} from ${attempt.ctx.apiUrl} (GUILDHALL_URL): ${messageOf(error)}`,
          { retryable: true, cause: error },
        );
      if (!unreachable || delayMs === undefined) {
        throw new RunFailed('clone_failed', `The repository ${repo} could not be cloned: ${messageOf(error)}`);
      }
      await delay(delayMs, undefined, { signal });
    }
  }
}
