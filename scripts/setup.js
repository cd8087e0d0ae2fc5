// Runs before `npm start`, `npm test` and other scripts of package.json, on any Node from version 20 and before anything
// is installed: no dependencies, no TypeScript. Installs the npm and system packages that the program needs, and builds
// the console; prints nothing if none is missing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isRoot = process.getuid?.() === 0;
const inProcess = process.env.GUILDHALL_SANDBOX === 'process';

/**
 * The programs that are used, their Debian package, and their purpose. `needed`: this start fails without them;
 * `anyOf`: one of the programs is enough.
 */
const systemPackages = [
  { name: 'git', programs: ['git'], needed: true, purpose: 'repositories' },
  {
    name: 'util-linux',
    programs: ['flock', 'unshare', 'setpriv', 'prlimit'],
    needed: true,
    purpose: 'the data directory',
  },
  { name: 'bubblewrap', programs: ['bwrap'], needed: !inProcess, purpose: 'sandboxes' },
  { name: 'socat', programs: ['socat'], needed: false, purpose: 'the network of sandboxes' },
  {
    name: 'chromium-headless-shell',
    programs: ['chromium-headless-shell', 'chromium'],
    anyOf: true,
    needed: false,
    purpose: "the agents' browser",
  },
  // Disk limits with mounted images require root.
  ...(isRoot
    ? [
        { name: 'e2fsprogs', programs: ['mkfs.ext4'], needed: false, purpose: 'disk limits' },
        { name: 'mount', programs: ['mount', 'umount'], needed: false, purpose: 'disk limits' },
      ]
    : []),
];

/** Programs of the linters that the tests of reviews run. */
const linterPackages = [
  ['pyflakes3', 'pyflakes3'],
  ['shellcheck', 'shellcheck'],
  ['ruby', 'ruby'],
  ['php-cli', 'php'],
  ['node-typescript', 'tsc'],
].map(([name, program]) => ({ name, programs: [program], needed: false, purpose: 'the tests of reviews' }));

installNpmPackages();
// The operator's commands need nothing else, and `doctor` says itself what is missing.
if (!process.argv.includes('--packages')) {
  if (process.argv.includes('--test')) {
    installTestPeers();
    systemPackages.push(...linterPackages);
  }
  installSystemPackages();
  bundleDependencies();
  buildConsole();
}

function installNpmPackages() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  const stamp = join(root, 'node_modules', '.guildhall-lock');
  if (readIfThere(stamp) === hash) {
    return;
  }
  if (!matchesInstalled(lock)) {
    say('Installing npm packages (once, some 20 s) …');
    // Not `npm ci`: that rejects the whole lockfile if it lacks the tools' packages for other platforms, which some
    // registries do not carry. The versions are still those of the lockfile, and --no-save keeps it unchanged.
    npm(root, ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error']);
  }
  checkNode();
  try {
    writeFileSync(stamp, hash);
  } catch {
    // Another user installed it: it is complete, but not ours to mark.
  }
}

/** Installs what only tests need: the descriptions of other systems by which they judge. */
function installTestPeers() {
  const directory = join(root, 'test-peers');
  const stamp = join(directory, 'node_modules', '.guildhall-lock');
  const hash = createHash('sha256')
    .update(readFileSync(join(directory, 'package-lock.json')))
    .digest('hex');
  if (readIfThere(stamp) === hash) {
    return;
  }
  say("Installing the tests' npm packages (once, some 10 s) …");
  npm(directory, ['ci', '--ignore-scripts', '--include=dev', '--loglevel=error']);
  // 343 MB: second copies of what the tests read.
  const generated = join(directory, 'node_modules', '@octokit', 'openapi', 'generated');
  for (const name of readdirSync(generated).filter((file) => file.endsWith('.deref.json'))) {
    rmSync(join(generated, name));
  }
  writeFileSync(stamp, hash);
}

/**
 * Returns true if node_modules matches the lockfile, by npm's own record of its last complete installation: nothing to
 * do after `npm install <package>`.
 */
function matchesInstalled(lock) {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) {
    return false;
  }
  const present = JSON.parse(installed).packages;
  return Object.entries(JSON.parse(lock).packages)
    .filter(([path, entry]) => path.includes('node_modules/') && (present[path] !== undefined || !entry.optional))
    .every(([path, { link, version }]) =>
      link === true ? existsSync(join(root, path)) : present[path]?.version === version,
    );
}

/** Checks for the Node that npm installs; a user may have disabled its install script. */
function checkNode() {
  const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' });
  if (!stdout?.startsWith('v24.')) {
    say('npm did not install Node 24: its install scripts seem to be disabled.');
    say('Run: npm rebuild node --ignore-scripts=false');
    process.exit(1);
  }
}

function bundleDependencies() {
  const script = join(root, 'scripts', 'bundle-dependencies.js');
  const sources = [join(root, 'package-lock.json'), script].map((path) => readFileSync(path));
  const stamp = sources.reduce((hash, bytes) => hash.update(bytes), createHash('sha256')).digest('hex');
  const manifest = readIfThere(join(root, 'node_modules', '.cache', 'bundles', 'manifest.json'));
  if (manifest === undefined || JSON.parse(manifest).stamp !== stamp) {
    runPinned([script, stamp]);
  }
}

function buildConsole() {
  runPinned([join(root, 'scripts', 'build-console.js')]);
}

/** A process of its own: this one runs on any Node, a build on the pinned one. */
function runPinned(args) {
  run(join(root, 'node_modules', '.bin', 'node'), args);
}

function installSystemPackages() {
  let missing = missingPackages();
  if (missing.length === 0) {
    return;
  }
  if (isRoot && existsSync('/etc/debian_version')) {
    // In separate groups, because apt installs nothing if one of the packages is unavailable.
    for (const group of [missing.filter(({ needed }) => needed), missing.filter(({ needed }) => !needed)])
      if (group.length > 0) aptInstall(group.map(({ name }) => name));
    missing = missingPackages();
  }
  for (const { programs, purpose, name } of missing) {
    const absent = programs.filter((program) => !isInstalled(program)).join(', ');
    say(`Missing: ${absent} (package ${name}), needed for ${purpose}.`);
  }
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(' ');
    say(
      existsSync('/etc/debian_version')
        ? `Install with: sudo apt-get install -y --no-install-recommends ${names}`
        : 'Install these with the package manager of your system.',
    );
    if (missing.some(({ name, needed }) => name === 'bubblewrap' && needed)) {
      say('To run agents without isolation instead, set GUILDHALL_SANDBOX=process.');
    }
  }
  if (missing.some(({ needed }) => needed)) {
    process.exit(1);
  }
}

function missingPackages() {
  return systemPackages.filter(({ programs, anyOf }) =>
    anyOf === true ? !programs.some(isInstalled) : !programs.every(isInstalled),
  );
}

function isInstalled(program) {
  // An ordinary user's PATH has no sbin, and a service's may be almost empty.
  const dirs = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'];
  return dirs.some((dir) => dir !== '' && isExecutable(join(dir, program)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function aptInstall(names) {
  say(`Installing system packages: ${names.join(' ')} …`);
  const install = ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...names];
  // A fresh image has no package lists; those of an old one name versions that no longer exist.
  const hasLists =
    existsSync('/var/lib/apt/lists') && readdirSync('/var/lib/apt/lists').some((f) => f.includes('_Packages'));
  if (hasLists && apt(install).status === 0) {
    return;
  }
  apt(['apt-get', 'update', '-q']);
  const { status, stderr } = apt(install);
  if (status !== 0) {
    say(`apt-get failed:\n${stderr.trim()}`);
  }
}

function apt([program, ...args]) {
  return spawnSync(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
}

/** Runs npm in a directory; npm sets the variable for scripts that it runs. */
function npm(cwd, args) {
  const path = process.env.npm_execpath;
  const [program, ...before] = path === undefined ? ['npm'] : [process.execPath, path];
  run(program, [...before, ...args], cwd);
}

function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    say(`${program} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}.`);
    process.exit(1);
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Prints to standard error, because standard output belongs to the program that starts next. */
function say(line) {
  process.stderr.write(`${line}\n`);
}
