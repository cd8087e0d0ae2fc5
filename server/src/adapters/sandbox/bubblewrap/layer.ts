import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runSystem } from '../system.ts';
import { systemArguments } from './arguments.ts';
import { Stage, stageCommand } from './stage.ts';

const copyWithinMs = 15 * 60_000;

/** The location of a sandbox's files, and how to reach them. */
export interface LayerSource {
  workspace: string;
  home: string;
  /** For root: whose files they are, and the process in whose mount namespace the two paths hold. */
  user: { uid: number; pid: number; stage: string } | undefined;
}

/**
 * Copies a sandbox's files into an empty directory of the worker's. The copy runs in a sandbox of its own that sees nothing but
 * the two directories and the target: what a session left behind decides where links lead, and it may change them while
 * they are copied.
 */
export async function copyFiles(source: LayerSource, target: string): Promise<void> {
  await runSystem(await copyCommand(source, target), copyWithinMs);
}

async function copyCommand({ workspace, home, user }: LayerSource, target: string): Promise<string[]> {
  if (user === undefined) return containedCopy(workspace, home, target);
  await chown(target, user.uid, user.uid);
  const stage = Stage.within(user.stage);
  const script = stage.script(user.uid, containedCopy(workspace, home, stage.reach(target)));
  return ['nsenter', `--target=${user.pid}`, '--mount', '--', ...stageCommand(script)];
}

/** Copies a base layer into an empty directory of an ordinary user's sandbox. */
export async function copyLayer(layer: string, target: string): Promise<void> {
  await runSystem(containedCopy(join(layer, 'workspace'), join(layer, 'home'), target), copyWithinMs);
}

function containedCopy(workspace: string, home: string, target: string): string[] {
  return [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '0', '--gid', '0', '--cap-drop', 'ALL'],
    // Its user owns the files but may have locked itself out of some.
    ['CAP_DAC_OVERRIDE', 'CAP_DAC_READ_SEARCH', 'CAP_FOWNER'].flatMap((name) => ['--cap-add', name]),
    ['--die-with-parent', '--new-session', '--clearenv', ...systemArguments()],
    ['--ro-bind', workspace, '/from/workspace', '--ro-bind', home, '/from/home', '--bind', target, '/to'],
    ['/usr/bin/env', 'cp', '-a', '--reflink=auto', '/from/workspace', '/from/home', '/to/'],
  ].flat();
}

/** The user that the files of a layer belong to. */
export async function layerOwner(layer: string): Promise<number> {
  return (await stat(join(layer, 'workspace'))).uid;
}
