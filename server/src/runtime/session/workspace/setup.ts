import { join } from 'node:path';
import type { LayerId } from '../../../adapters/sandbox/port.ts';
import { commitInfo, isAncestor, resolveRef } from '../../../git/bare.ts';
import { readBranch } from '../../../git/mirror.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { openLayers, type LayerEntry } from './layers.ts';
import { layerKey } from './project.ts';
import { provision } from '../attempt/provisioning.ts';
import { commandTimeoutMs, runCommand, type RecordedRun } from './run-command.ts';
import { checkOut, pathsIn, removeOwnMirrors } from './check-out.ts';
import { openSandbox } from './sandboxes.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';
import { openNetwork } from './checkouts.ts';

/**
 * Runs the repositories' setup commands once for their dependencies, at the base commit and with the package registries
 * within reach, and gives the checkouts the layer that came of it.
 */
export async function setUp(attempt: Attempt, checkoutSet: CheckoutSet): Promise<void> {
  const checkouts = checkoutSet.checkouts.filter(({ setupCommand }) => setupCommand !== '');
  if (checkouts.length === 0) return;
  const { ctx } = attempt;
  const { isolation } = await ctx.sandbox.probe();
  const kind = `${isolation.kind} ${isolation.own_user}`;
  // Beside what is one person's own, nothing comes of other files than the session's.
  const isShared = attempt.personalSecrets.admit('what the setup left, which sessions share');
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
  const doing = `Setting up what the repositories need by ${commands}, or waiting for another session that does.`;
  checkoutSet.layer = await provision(attempt, { step: 'setup', subject: '', doing, late }, async (signal) => {
    const shared = isShared ? await layers.obtain(await keyBy(foreignTreeOf), build, signal) : undefined;
    const fits = shared !== undefined && (await isOfHistory(checkoutSet, shared));
    return (fits ? shared : await layers.obtain(await keyBy(treeOf), build, signal)).layer;
  });
}

/**
 * Whether what a layer was built at is still in the history of the default branches, or the session's own: whoever may push
 * can put a commit there for a while.
 */
async function isOfHistory({ checkouts }: CheckoutSet, { commits }: LayerEntry): Promise<boolean> {
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
 * The tree of a commit that is not in the history of the default branch, `''` for one that is. Whoever may push a branch says
 * what its setup does, so what comes of that is shared by the same files alone.
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
  what: 'The setup of the repositories was not done',
  remedy: 'Look at the output of the setup command, and give the repository a quicker one.',
} as const;

async function buildLayer(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  checkouts: readonly Checkout[],
): Promise<LayerId> {
  checkoutSet.checkDoor.setNetwork('registries');
  const sessionSandbox = await openSandbox(attempt, checkoutSet, 'setup');
  try {
    for (const checkout of checkoutSet.checkouts) await checkOut(attempt, sessionSandbox, checkout);
    for (const checkout of checkouts) {
      const { setupCommand: command } = checkout;
      const cwd = pathsIn(sessionSandbox, checkout).workspace;
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
    ? `did not end within ${commandTimeoutMs / 60_000} minutes and was stopped`
    : outOfMemory
      ? 'ran out of memory'
      : `ended with exit code ${evidence.exit_code ?? 'none'}`;
  const message = `The setup command \`${command}\` ${end}; its output is in the artifact setup.log.`;
  return new RunFailed('agent_error', message, { code: 'setup_failed' });
}
