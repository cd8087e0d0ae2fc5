import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { chmod, constants, copyFile, mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildSeccompFilter } from './seccomp.ts';

/**
 * Files of the host's `/etc` that a sandbox may read: settings of programs in `/usr`, nothing about the host or its users.
 */
const shared = [
  'alternatives',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'fonts',
  'magic',
  'mime.types',
  'services',
  'protocols',
];
const sharedPatterns = ['java-*', 'python3*', 'perl', 'R', 'php'];

const written = {
  passwd: 'agent:x:1000:1000:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n',
  'host.conf': 'multi on\n',
} as const;

const unreadable = { perl: '/usr/bin/perl', bash: '/bin/bash' } as const;

/** Files shared by all sandboxes of this host. Immutable, so that workers can share them. */
export interface Runtime {
  /** Directory with all of them. */
  directory: string;
  /** The sandboxes' own `/etc` below `directory`, with an empty mount point for each shared path. */
  etc: string;
  /** Paths of the host's `/etc` that are bound into `etc`. */
  sharedEtc: string[];
  /** The seccomp program, for `bwrap --seccomp`. */
  filter: string;
  /**
   * Directory below `directory` with a `perl` and a `bash` that can be executed but not read. The kernel protects the memory
   * and descriptors of such a process from the same user, so code in a sandbox cannot impersonate its supervisor.
   */
  programs: string;
}

/** Creates the runtime below `parent`, unless it exists. `countsMemory`: the kernel counts all memory of a sandbox. */
export async function prepareRuntime(parent: string, { countsMemory }: { countsMemory: boolean }): Promise<Runtime> {
  const patterns = globSync(sharedPatterns, { cwd: '/etc' });
  const found = [...shared, ...patterns].filter((name) => existsSync(join('/etc', name)));
  const filter = buildSeccompFilter(process.arch, { countsMemory });
  const hash = createHash('sha256')
    .update(JSON.stringify([found, written]))
    .update(filter)
    .update(JSON.stringify(await Promise.all(Object.values(unreadable).map(fingerprint))))
    .digest('hex')
    .slice(0, 16);
  const directory = join(parent, hash);
  const runtime = {
    directory,
    etc: 'etc',
    sharedEtc: found.map((name) => join('/etc', name)),
    filter: join(directory, 'filter.bpf'),
    programs: 'programs',
  };
  if (existsSync(directory)) return runtime;
  const fresh = join(parent, `.${randomUUID()}`);
  await makeDirectory(join(fresh, 'etc'));
  await writeFile(join(fresh, 'filter.bpf'), filter);
  for (const [name, content] of Object.entries(written)) await makeFile(join(fresh, 'etc', name), content);
  if (existsSync('/usr/lib/os-release')) await symlink('../usr/lib/os-release', join(fresh, 'etc', 'os-release'));
  await makeDirectory(join(fresh, 'programs'));
  for (const [name, path] of Object.entries(unreadable)) {
    const place = join(fresh, 'programs', name);
    await copyFile(path, place, constants.COPYFILE_FICLONE);
    await chmod(place, 0o111);
  }
  for (const name of found) {
    const place = join(fresh, 'etc', name);
    await makeDirectory(dirname(place));
    if ((await stat(join('/etc', name))).isDirectory()) await makeDirectory(place);
    else await makeFile(place, '');
  }
  try {
    await rename(fresh, directory);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another worker created the same content concurrently.
    if (!existsSync(directory)) throw error;
  }
  return runtime;
}

/** Returns attributes that distinguish versions of a program. */
async function fingerprint(path: string): Promise<(string | number)[]> {
  const { size, mtimeMs } = await stat(path);
  return [path, size, mtimeMs];
}

/** Creates a directory that sandbox users can read, independent of the worker's umask. */
async function makeDirectory(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeDirectory(dirname(path));
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

async function makeFile(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chmod(path, 0o644);
}
