import { join } from 'node:path';
import { refOf } from '../../../features/repositories/open-change-request.ts';
import { commandOfOthers, requireRepository } from '../../../features/repositories/service.ts';
import { holds } from '../../../features/sessions/run/run-service.ts';
import type { StoredRepository } from '../../../features/sessions/schemas/session-schemas.ts';
import type { GatewayEndpoint } from '../../../gateway/gateway.ts';
import type { GatewaySession } from '../../../gateway/session.ts';
import { AppError } from '../../../lib/errors.ts';
import { KeyMissing } from '../../../lib/models.ts';
import { McpRoutes, type Checkout, type CheckoutSet } from './checkout-set.ts';
import { retainMirror } from './sync-mirrors.ts';
import { apiAccess } from './api-access.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { branchName, repositoryDirectories } from './branch.ts';
import { RunFailed } from '../attempt/control.ts';
import { logRefusal, permitModel, sessionModels } from './model-calls.ts';
import { gatewayRepository, runAccess } from './repository-access.ts';
import { projectOf } from './project.ts';
import { commandConflict } from '../secrets/personal-secrets.ts';
import type { SecretAudience } from '../secrets/run-secrets.ts';
import { builtInProvider } from '../../../lib/providers.ts';

/** Loads the session's repositories and opens its gateway endpoints. Throws RunFailed for a deleted repository. */
export async function openCheckouts(attempt: Attempt): Promise<CheckoutSet> {
  const stored = attempt.progress.repositories;
  const rows = await Promise.all(stored.map((repository) => findRepository(attempt, repository)));
  for (const row of rows) admitCommand(attempt, commandOfOthers(row, attempt.personalSecrets.owner));
  const directories = repositoryDirectories(stored.map(({ repo }) => repo));
  const checkouts = await Promise.all(
    rows.map((row, index) => createCheckout(attempt, index, { ...row, directory: directories[index] ?? '' })),
  );
  for (const { mirror } of checkouts) attempt.resources.retain(mirror);
  const repositories = checkouts.map((checkout) => gatewayRepository(attempt, checkout));
  await Promise.all(checkouts.map((checkout) => retainMirror(attempt, checkout)));
  const { ctx, run, settings } = attempt;
  const mcpServers = new McpRoutes();
  const open = (audience: SecretAudience) =>
    openEndpoint(attempt, {
      id: run.id,
      holds: () => holds(ctx, run),
      repositories,
      models: sessionModels(attempt),
      mask: () => attempt.secrets.mask,
      permitModel: (call) => permitModel(attempt, call),
      broker: () => attempt.secrets.brokered(audience),
      mcpServers: () => mcpServers.current,
      api: apiAccess(attempt),
      network: settings.sandbox.network,
      allowedHosts: settings.sandbox.allowed_hosts,
      onEvent: (event) => logRefusal(attempt, event),
    });
  const [endpoint, checkEndpoint] = await Promise.all([open('agent'), open('checks')]);
  await registerProviderKeys(attempt);
  attempt.secrets.add('the gateway', endpoint.hostModel('').headers.authorization);
  return {
    endpoint,
    checkEndpoint,
    mcpServers,
    checkouts: checkouts.length > 0 ? checkouts : [emptyCheckout(attempt)],
    layer: undefined,
  };
}

async function openEndpoint(attempt: Attempt, session: GatewaySession): Promise<GatewayEndpoint> {
  const endpoint = await attempt.ctx.gateway.open(session);
  attempt.resources.onClose(() => endpoint.close());
  return endpoint;
}

/** Masks the keys of the model providers: no request contains them, but a hostile provider's response may. */
async function registerProviderKeys({ models, secrets }: Attempt): Promise<void> {
  for (const { name, key } of models.providers) {
    const value = await key().catch((error: unknown) => {
      if (error instanceof KeyMissing) return '';
      throw error;
    });
    secrets.add(`the key of ${name}`, value);
  }
}

/** Applies the organization's current network settings. */
export function openNetwork({ settings }: Attempt, { endpoint, checkEndpoint }: CheckoutSet): void {
  for (const way of [endpoint, checkEndpoint]) way.setNetwork(settings.sandbox.network, settings.sandbox.allowed_hosts);
}

/** Refuses a command that another member changed after the turn got personal secrets. */
function admitCommand(attempt: Attempt, command: string): void {
  if (command === '' || attempt.personalSecrets.admit(command)) return;
  throw new RunFailed('agent_error', commandConflict(command), { code: 'secrets_unusable' });
}

type RepositoryRow = Awaited<ReturnType<typeof requireRepository>>;

async function findRepository(attempt: Attempt, { repository_id, repo }: StoredRepository): Promise<RepositoryRow> {
  try {
    return await requireRepository(attempt.ctx, attempt.run.orgId, repository_id);
  } catch (error) {
    if (error instanceof AppError) throw new RunFailed('clone_failed', `The repository ${repo} was deleted.`);
    throw error;
  }
}

async function createCheckout(
  attempt: Attempt,
  index: number,
  row: RepositoryRow & { directory: string },
): Promise<Checkout> {
  const { ctx, run, session, settings, request } = attempt;
  const source = ctx.sourceControl.of(row.provider);
  const stored = attempt.progress.repositories[index];
  const mirror = join(ctx.mirrorsDirectory, run.orgId, row.connection_id, `${row.id}.git`);
  const checkout: Checkout = {
    index,
    repositoryId: row.id,
    provider: row.provider,
    repo: row.repo,
    access: await source.cloneAccess(refOf(run.orgId, row), runAccess(attempt, row.id)),
    directory: row.directory,
    mirror,
    mirrorPath: '',
    checkpointsPath: join(attempt.resources.directory, `checkpoints-${index}.git`),
    setupCommand: row.setup_command,
    verifyCommand: row.verify_command,
    defaultBranch: row.default_branch,
    branch: stored?.branch || branchName(settings.source_control.branch_prefix, request.title, session.id),
    baseCommit: stored?.base_commit ?? '',
    baseBranch: '',
    continuedHead: '',
    project: () => projectOf(checkout.mirrorPath, checkout.baseCommit),
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
    checkpointsPath: join(attempt.resources.directory, 'checkpoints-0.git'),
    setupCommand: '',
    verifyCommand: '',
    defaultBranch: '',
    branch: 'main',
    baseCommit: '',
    baseBranch: '',
    continuedHead: '',
    project: async () => ({ tree: '', files: new Map(), blobs: new Map() }),
  };
}
