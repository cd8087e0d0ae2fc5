// `npm test [-- <vitest arguments>]`: runs vitest, lists skipped tests, and ends with `N passed, N failed`. In CI a few
// files that fail run once more, one after another: a machine that stalls for a moment refuses no change.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemoryDirectory, removeMemoryDirectory } from './memory-directory.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
/** The cache of compiled code for every process of the run. */
const compileCache = join(root, 'node_modules/.cache/compile');
const isCi = process.env.CI === 'true';
/** When more files fail, a second run would only take time. */
const mostRetriedFiles = 8;
const slowestFiles = 10;

const args = process.argv.slice(2);
// With a name filter vitest reports every other test as skipped.
const byName = args.some((argument) => /^(-t|--testNamePattern)/.test(argument));
let child;
// A terminal sends Ctrl-C to vitest directly, but a signal to this process does not reach it. The result is reported
// in both cases.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));

// A place that was chosen is kept.
const memory = process.env.TMPDIR === undefined ? createMemoryDirectory() : undefined;
const first = await runVitest(args);
const failing = first.files.filter(hasFailed).map(({ file }) => file);
const isRetried = isCi && failing.length > 0 && failing.length <= mostRetriedFiles;
const options = args.filter((argument) => argument.startsWith('-'));
const second = isRetried
  ? await runVitest([...options, ...failing], { GUILDHALL_TEST_WORKERS: '1' })
  : { files: [], errors: [] };
if (memory !== undefined) removeMemoryDirectory(memory);
process.exitCode = report(first, second);

/** Returns the reporter's results, and how vitest ended. `environment` has variables to set. */
async function runVitest(vitestArgs, environment = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'guildhall-results-'));
  const resultFile = join(scratch, 'results.json');
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/test-reporter.js')}`];
  child = spawn(process.execPath, [vitest, 'run', ...reporters, ...vitestArgs], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      GUILDHALL_TEST_RESULTS: resultFile,
      NODE_COMPILE_CACHE: compileCache,
      // Large pages: starting a program copies the page tables of the process that starts it.
      GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
      ...(memory === undefined ? {} : { TMPDIR: memory }),
      ...environment,
    },
  });
  const end = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  try {
    return { ...JSON.parse(readFileSync(resultFile, 'utf8')), end };
  } catch {
    return { files: [], errors: [`the run did not finish (${end})`], end };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** True also for a file whose process ended before its tests. */
function hasFailed({ failures, errors, skipped }) {
  return failures.length + errors.length > 0 || skipped.some(({ reason }) => reason === 'did not run');
}

/** True for the error of a test process that ended, after the files that did not run have run again. */
function hasRunAgain(message, retry) {
  return retry.files.length > 0 && message.startsWith('[vitest-pool]: Worker');
}

/** Prints the summary of a run, and of the run of its failed files; returns the exit code. */
function report(run, retry) {
  const again = new Map(retry.files.map((result) => [result.file, result]));
  const files = run.files.map((result) => again.get(result.file) ?? result);
  printTimes(run.files);
  for (const result of run.files) printRetried(result, again.get(result.file));
  for (const message of run.errors.filter((one) => hasRunAgain(one, retry))) console.log(`passed on retry: ${message}`);

  const skipped = files.flatMap((result) =>
    result.skipped.map((test) => ({ ...test, file: relative(root, result.file) })),
  );
  const shown = byName ? skipped.filter(({ reason }) => reason !== null) : skipped;
  printSkipped(shown);
  const passed = files.reduce((sum, result) => sum + result.passed, 0);
  const failed = files.reduce((sum, result) => sum + result.failures.length, 0);
  const problems = [
    ...run.errors.filter((message) => !hasRunAgain(message, retry)),
    ...retry.errors,
    ...files.flatMap(({ file, errors }) => errors.map((message) => `${relative(root, file)}: ${message}`)),
    // A skipped block has its reason in its name: `S3 (optional: Swift is not installed)`.
    ...(isCi ? shown.filter(({ name }) => !/\(optional[):]/.test(name)) : []).map(
      ({ file, name }) => `in CI no test may be skipped: ${file} > ${name}`,
    ),
  ];
  if (problems.length === 0 && passed + failed === 0) problems.push('no test ran');
  if (problems.length === 0 && !run.files.some(hasFailed) && run.end !== 'exit 0') {
    problems.push(`vitest ended with ${run.end}`);
  }
  for (const { file, failures } of files) {
    for (const { name, reason } of failures) {
      console.log(`failed: ${relative(root, file)} > ${name}: ${firstLine(reason)}`);
    }
  }
  for (const problem of problems) console.log(`failed: ${problem}`);
  const failures = failed + problems.length;
  console.log(`${passed} passed, ${failures} failed${shown.length > 0 ? `, ${shown.length} skipped` : ''}`);
  return failures > 0 ? 1 : 0;
}

/** Prints the files that took most time and most processor time, and the processor time of each project. */
function printTimes(files) {
  if (files.length < 2) return;
  const list = (title, valueOf) => {
    const most = files.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, slowestFiles);
    const lines = most.map((one) => `${valueOf(one).toFixed(0).padStart(5)} s  ${relative(root, one.file)}`);
    console.log([title, ...lines, ''].join('\n'));
  };
  list('The slowest files:', ({ seconds }) => seconds);
  list('The most processor time, without the database:', ({ processorSeconds }) => processorSeconds);
  const sums = Map.groupBy(files, ({ project }) => project);
  const parts = [...sums].map(([project, some]) => {
    const sum = some.reduce((all, { processorSeconds }) => all + processorSeconds, 0);
    return `${project} ${sum.toFixed(0)} s`;
  });
  console.log(`Processor time by project: ${parts.join(', ')}\n`);
}

/** Prints the tests of a file that failed and passed when the file ran again. */
function printRetried({ file, failures, errors }, again) {
  if (again === undefined) return;
  const stillFail = new Set(again.failures.map(({ name }) => name));
  const lines = failures.filter(({ name }) => !stillFail.has(name)).map(({ name, reason }) => `${name}: ${reason}`);
  if (again.errors.length === 0) lines.push(...errors);
  for (const line of lines) console.log(`passed on retry: ${relative(root, file)} > ${firstLine(line)}`);
}

/** Prints a line for each skipped test, and one for all tests of a block that is skipped as a whole. */
function printSkipped(tests) {
  const counts = new Map();
  for (const { file, name, reason } of tests) {
    const block = /^.*?\(optional[):].*?(?= > )/.exec(name)?.[0];
    const line = reason === null ? `${file} > ${block ?? name}` : `${file} > ${name}: ${reason}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  for (const [line, count] of counts) console.log(`skipped: ${line}${count > 1 ? ` (${count} tests)` : ''}`);
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}
