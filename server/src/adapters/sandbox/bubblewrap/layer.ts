import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runSystem } from '../system.ts';
import { systemArguments } from './arguments.ts';
import { MountScript, mountCommand } from './mount-script.ts';

const copyWithinMs = 15 * 60_000;

/** Location of a sandbox's files, and access to them. */
export interface LayerSource {
  workspace: string;
  home: string;
  /** For root: the files' owner, and a process in the mount namespace of the two paths. */
  user: { uid: number; pid: number; mountRoot: string } | undefined;
}

/**
 * Copies a sandbox's files into an empty directory of the worker. The copy runs in a sandbox of its own that sees only the two
 * directories and the target, because the session controls the symlinks in them, even during the copy.
 */
export async function copyFiles(source: LayerSource, target: string): Promise<void> {
  await runSystem(await copyCommand(source, target), copyWithinMs);
}

async function copyCommand({ workspace, home, user }: LayerSource, target: string): Promise<string[]> {
  if (user === undefined) return containedCopy(workspace, home, target);
  await chown(target, user.uid, user.uid);
  const mounts = MountScript.forRunningSandbox(user.mountRoot);
  const script = mounts.build(user.uid, containedCopy(workspace, home, mounts.expose(target)));
  return ['nsenter', `--target=${user.pid}`, '--mount', '--', ...mountCommand(script)];
}

/** Copies a base layer into an empty directory; used when the worker is an ordinary user. */
export async function copyLayer(layer: string, target: string): Promise<void> {
  await runSystem(containedCopy(join(layer, 'workspace'), join(layer, 'home'), target), copyWithinMs);
}

function containedCopy(workspace: string, home: string, target: string): string[] {
  return [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '0', '--gid', '0', '--cap-drop', 'ALL'],
    // The owner may have removed its own permissions on some files.
    ['CAP_DAC_OVERRIDE', 'CAP_DAC_READ_SEARCH', 'CAP_FOWNER'].flatMap((name) => ['--cap-add', name]),
    ['--die-with-parent', '--new-session', '--clearenv', ...systemArguments()],
    ['--ro-bind', workspace, '/from/workspace', '--ro-bind', home, '/from/home', '--bind', target, '/to'],
    ['/usr/bin/env', 'cp', '-a', '--reflink=auto', '/from/workspace', '/from/home', '/to/'],
  ].flat();
}

/** Owner of a layer's files. */
export async function layerOwner(layer: string): Promise<number> {
  return (await stat(join(layer, 'workspace'))).uid;
}
