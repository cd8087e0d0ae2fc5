import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';

/** User and command prefix for a server program, because PostgreSQL refuses to run as root. */
export interface Identity {
  /** Goes before the program and its arguments. */
  prefix: string[];
  /** The unprivileged user of the host that it becomes; absent where files stay the caller's own. */
  owner?: { uid: number; gid: number };
}

const namespacePrefix = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

/** Whom root becomes where user namespaces are blocked. PostgreSQL refuses a user id without a name. */
const hostUsers = ['postgres', 'nobody'];

/**
 * Chooses who runs PostgreSQL on `clusterDir` (which may not exist yet). Not root: the user itself, under another id where
 * its own has no name, as containers may be started. Root: user 65534 of a user namespace, which is still root to the
 * file system, so nothing changes owner; where namespaces are blocked or the files already belong to another user, an
 * unprivileged user of the host.
 *
 * @param asRoot forces one of the two ways of root
 */
export function chooseIdentity(clusterDir: string, asRoot?: 'namespace' | 'user'): Identity {
  if (process.getuid?.() !== 0) {
    return { prefix: hasName() || !namespacesWork() ? [] : namespacePrefix };
  }
  const owner = lstatSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0 && asRoot !== 'namespace') {
    return hostUser({ uid: owner.uid, gid: owner.gid });
  }
  if (asRoot !== 'user' && namespacesWork()) {
    return { prefix: namespacePrefix };
  }
  return hostUser(postgresUser());
}

/** For programs that answer at once. */
const probeTimeoutMs = 10_000;

function hostUser(owner: { uid: number; gid: number }): Identity {
  return { prefix: ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--'], owner };
}

function namespacesWork(): boolean {
  const [program = '', ...args] = namespacePrefix;
  return spawnSync(program, [...args, 'true'], { stdio: 'ignore', timeout: probeTimeoutMs }).status === 0;
}

/** PostgreSQL looks the name of its user up and does not start without one. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function postgresUser(): { uid: number; gid: number } {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [fields] = hostUsers.flatMap((name) => entries.filter((entry) => entry[0] === name));
  if (fields === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, user namespaces are blocked here, and there is no user postgres or nobody. ' +
        'Start Guildhall as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/**
 * Gives the directories to the user that runs PostgreSQL and checks that it can reach them and the programs. Does nothing
 * for an identity that is the caller itself.
 */
export function grant(identity: Identity, options: { dataDir: string; owned: string[]; binaries: Binaries }): void {
  if (identity.owner === undefined) {
    return;
  }
  const { uid, gid } = identity.owner;
  // Passing through is enough: names inside stay unreadable to it.
  chmodSync(options.dataDir, statSync(options.dataDir).mode | 0o011);
  for (const dir of options.owned) {
    chownTree(dir, uid, gid);
  }
  for (const path of [...options.owned, options.binaries.postgres]) {
    try {
      execFileSync('test', ['-x', path], { uid, gid, cwd: '/', stdio: 'ignore', timeout: probeTimeoutMs });
    } catch (error) {
      throw new Error(
        `PostgreSQL does not run as root, user namespaces are blocked here, and user ${uid} cannot reach ${path}. ` +
          'Start Guildhall as an ordinary user, or put it and its data where that user may pass, or set DATABASE_URL.',
        { cause: error },
      );
    }
  }
}

function chownTree(path: string, uid: number, gid: number): void {
  const info = lstatSync(path);
  if (info.isSymbolicLink()) {
    return;
  }
  if (info.uid !== uid || info.gid !== gid) {
    chownSync(path, uid, gid);
  }
  // Only a directory that we created needs a change: its server wrote everything that the user owns already.
  if (info.isDirectory() && info.uid !== uid) {
    for (const name of readdirSync(path)) {
      chownTree(join(path, name), uid, gid);
    }
  }
}
