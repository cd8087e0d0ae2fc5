// `npm run check [-- <name> …]`: runs the static checks, two at a time. Prints one line per check, and the output of
// those that failed.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = join(root, 'node_modules', '.bin');

/** Slowest first, so that the fast ones fill the other slot. */
const checks = [
  { name: 'types', command: ['tsc', '--noEmit', '--project', '.'] },
  { name: 'types of the console', command: ['tsc', '--noEmit', '--project', 'console'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives'] },
  { name: 'openapi', command: ['node', 'scripts/generate-openapi.ts', '--check'] },
  { name: 'openapi lint', command: ['node', 'scripts/lint-openapi.js'] },
  { name: 'unused', command: ['knip', '--no-progress', '--no-config-hints'] },
  // Without the tests: a file or package that only they use must not be shipped.
  {
    name: 'unused in production',
    command: ['knip', '--no-progress', '--no-config-hints', '--production', '--include', 'files,dependencies'],
  },
  { name: 'boundaries', command: ['node', 'scripts/check-boundaries.js'] },
  { name: 'expressions', command: ['node', 'scripts/check-expressions.js'] },
  { name: 'field names', command: ['node', 'scripts/check-field-names.js'] },
  { name: 'language', command: ['node', 'scripts/check-language.js'] },
  { name: 'format', command: ['oxfmt', '--check'] },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.log(`Unknown check ${unknown.join(', ')}. Choose from ${checks.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}
const waiting = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const failures = [];
await Promise.all([takeNext(), takeNext()]);
process.exitCode = failures.length === 0 ? 0 : 1;

async function takeNext() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const startedMs = performance.now();
    const { passed, output } = await run(check.command);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${passed ? '✓' : '✗'} ${check.name} ${seconds} s${passed ? '' : `\n${output.trimEnd()}\n`}`);
    if (!passed) failures.push(check.name);
  }
}

function run([program, ...args]) {
  const child = spawn(join(programs, program), args, {
    cwd: root,
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => (output += text));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ passed: false, output: `${program}: ${error.message}` }));
    child.on('close', (code) => resolve({ passed: code === 0, output }));
  });
}
