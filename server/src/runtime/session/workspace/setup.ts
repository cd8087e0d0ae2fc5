import { join } from 'node:path';
import type { LayerId } from '../../../adapters/sandbox/port.ts';
import { commitInfo, isAncestor, readBranch, resolveRef } from '../../../git/bare.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { openLayers, type LayerEntry } from './layers.ts';
import { layerKey } from './project.ts';
import { provision } from '../attempt/provisioning.ts';
import { commandTimeoutMs, runCommand, type RecordedRun } from './run-command.ts';
import { checkOut, sandboxPaths, removeOwnMirrors } from './check-out.ts';
import { openSandbox } from './sandboxes.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';
import { openNetwork } from './checkouts.ts';

/**
 * Runs the repositories' setup commands once per set of dependencies, at the base commit and with access to package
 * registries, and sets the resulting layer in the checkouts.
 */
export async function setUp(attempt: Attempt, checkoutSet: CheckoutSet): Promise<void> {
  const checkouts = checkoutSet.checkouts.filter(({ setupCommand }) => setupCommand !== '');
  if (checkouts.length === 0) return;
  const { ctx } = attempt;
  const { isolation } = await ctx.sandbox.probe();
  const kind = `${isolation.kind} ${isolation.own_user}`;
  // With personal secrets, the layer must come from exactly the session's own files.
  const isShared = attempt.personalSecrets.admit('the setup layer, which sessions share');
  const keyBy = async (treeBy: (checkout: Checkout) => Promise<string>): Promise<string> => {
    const repositories = checkoutSet.checkouts.map(async (checkout) => {
      const { repositoryId: id, directory, setupCommand } = checkout;
      const [{ blobs }, foreignTree] = await Promise.all([checkout.project(), treeBy(checkout)]);
      return { id, directory, setupCommand, blobs, foreignTree };
    });
    return layerKey(kind, await Promise.all(repositories));
  };
  const layers = openLayers(join(ctx.workDirectory, 'layers', attempt.run.orgId), ctx.sandbox.layers, (path) =>
    attempt.resources.retain(path),
  );
  const build = {
    run: () => buildLayer(attempt, checkoutSet, checkouts),
    commits: checkoutSet.checkouts.map(({ baseCommit }) => baseCommit),
  };
  const commands = checkouts.map(({ setupCommand }) => `\`${setupCommand}\``).join(' and ');
  const doing = `Running the setup ${commands}, or waiting for another session that runs it.`;
  checkoutSet.layer = await provision(attempt, { step: 'setup', subject: '', doing, late }, async (signal) => {
    const shared = isShared ? await layers.obtain(await keyBy(foreignTreeOf), build, signal) : undefined;
    const fits = shared !== undefined && (await isFromHistory(checkoutSet, shared));
    return (fits ? shared : await layers.obtain(await keyBy(treeOf), build, signal)).layer;
  });
}

/**
 * True if a layer's commits are the session's own, or still in the history of the default branches. Anyone with push access
 * can put a commit there temporarily.
 */
async function isFromHistory({ checkouts }: CheckoutSet, { commits }: LayerEntry): Promise<boolean> {
  const known = await Promise.all(
    checkouts.map(async (checkout, index) => {
      const commit = commits[index] ?? '';
      if (commit === checkout.baseCommit) return true;
      return commit !== '' && (await isOnDefault(checkout, commit));
    }),
  );
  return known.every(Boolean);
}

async function isOnDefault({ mirrorPath, defaultBranch }: Checkout, commit: string): Promise<boolean> {
  const tip = await readBranch(mirrorPath, defaultBranch);
  if (tip === undefined || (await resolveRef(mirrorPath, commit)) === undefined) return false;
  return isAncestor(mirrorPath, commit, tip);
}

/**
 * Returns the tree of a commit outside the default branch's history; `''` for one inside. Anyone with push access controls a
 * branch's setup, so its layer is shared only by identical files.
 */
async function foreignTreeOf(checkout: Checkout): Promise<string> {
  const { mirrorPath, baseCommit } = checkout;
  return mirrorPath === '' || (await isOnDefault(checkout, baseCommit)) ? '' : treeOf(checkout);
}

async function treeOf({ mirrorPath, baseCommit }: Checkout): Promise<string> {
  return mirrorPath === '' ? '' : ((await commitInfo(mirrorPath, baseCommit))?.tree ?? baseCommit);
}

const late = {
  detail: 'agent_error',
  what: 'The setup of the repositories did not finish',
  remedy: "Check the setup command's output, and make the command faster.",
} as const;

async function buildLayer(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  checkouts: readonly Checkout[],
): Promise<LayerId> {
  checkoutSet.checkEndpoint.setNetwork('registries');
  const sessionSandbox = await openSandbox(attempt, checkoutSet, 'setup');
  try {
    for (const checkout of checkoutSet.checkouts) await checkOut(attempt, sessionSandbox, checkout);
    for (const checkout of checkouts) {
      const { setupCommand: command } = checkout;
      const cwd = sandboxPaths(sessionSandbox, checkout).workspace;
      const run = await runCommand(attempt, sessionSandbox.sandbox, {
        command,
        cwd,
        env: sessionSandbox.env,
        phase: '',
        artifactName: 'setup.log',
      });
      if (run.evidence.exit_code !== 0) throw setupFailed(attempt, command, run);
    }
    await removeOwnMirrors(attempt, sessionSandbox, checkoutSet.checkouts);
    return await sessionSandbox.sandbox.saveLayer();
  } finally {
    openNetwork(attempt, checkoutSet);
    await sessionSandbox.sandbox.destroy();
  }
}

function setupFailed(attempt: Attempt, command: string, { evidence, timedOut, outOfMemory }: RecordedRun): RunFailed {
  attempt.events.warn('setup_failed', evidence.output_tail);
  const end = timedOut
    ? `timed out after ${commandTimeoutMs / 60_000} minutes and was stopped`
    : outOfMemory
      ? 'ran out of memory'
      : `failed with exit code ${evidence.exit_code ?? 'none'}`;
  const message = `The setup command \`${command}\` ${end}. See its output in the artifact setup.log.`;
  return new RunFailed('agent_error', message, { code: 'setup_failed' });
}
