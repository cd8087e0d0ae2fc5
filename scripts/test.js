// `npm test [-- <vitest arguments>]`: runs vitest, lists skipped tests, and ends with `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'guildhall-results-'));
const resultFile = join(scratch, 'results.json');
/** The cache of compiled code for every process of the run. */
const compileCache = join(root, 'node_modules/.cache/compile');

// With a name filter vitest reports every other test as skipped.
const byName = process.argv.some((argument) => /^(-t|--testNamePattern)/.test(argument));
const { code, signal } = await runVitest(process.argv.slice(2));
const result = readResult();
rmSync(scratch, { recursive: true, force: true });
process.exitCode = report(result, code, signal);

function runVitest(args) {
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--reporter=default', `--reporter=${join(root, 'scripts/test-reporter.js')}`, ...args],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, GUILDHALL_TEST_RESULTS: resultFile, NODE_COMPILE_CACHE: compileCache },
    },
  );
  // A terminal sends Ctrl-C to vitest directly, but a signal to this process does not reach it. The result is reported
  // in both cases.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
  });
}

/** Returns the reporter's result; undefined if the run did not reach its end. */
function readResult() {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Prints the summary; returns the exit code. */
function report(results, exitCode, exitSignal) {
  const { passed, failed, errors, retried, slowest, ...rest } = results ?? {
    passed: 0,
    failed: 0,
    skipped: [],
    errors: [],
    retried: [],
    slowest: [],
  };
  const skipped = byName ? rest.skipped.filter(({ reason }) => reason !== null) : rest.skipped;
  const problems = [...errors];
  if (slowest.length > 1) {
    const lines = slowest.map(({ file, seconds }) => `${String(seconds).padStart(5)} s  ${file}`);
    console.log(['The slowest files:', ...lines, ''].join('\n'));
  }
  for (const { file, name, reason } of retried) {
    console.log(`passed on retry: ${file} > ${name}: ${reason.split('\n', 1)[0]}`);
  }
  for (const { file, name, reason } of skipped) {
    console.log(`skipped: ${file} > ${name}${reason === null ? '' : `: ${reason}`}`);
    // A skipped block has its reason in its name: `S3 (optional: Swift is not installed)`.
    if (process.env.CI === 'true' && !/\(optional[):]/.test(name)) {
      problems.push(`in CI no test may be skipped: ${file} > ${name}`);
    }
  }
  if (results === undefined) {
    problems.push(`the run did not finish (${exitSignal ?? `exit ${exitCode}`})`);
  } else if (passed + failed === 0) {
    problems.push('no test ran');
  } else if (exitCode !== 0 && failed === 0 && problems.length === 0) {
    problems.push(`vitest ended with ${exitSignal ?? `exit ${exitCode}`}`);
  }
  for (const problem of problems) {
    console.log(`failed: ${problem}`);
  }
  const failures = failed + problems.length;
  console.log(`${passed} passed, ${failures} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  return failures > 0 ? 1 : 0;
}
