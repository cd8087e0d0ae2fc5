import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const slowestFiles = 10;

/**
 * Writes the results for `scripts/test.js`: `{passed, failed, skipped: [{file, name, reason}], errors: [text], retried:
 * [{file, name, reason}], slowest: [{file, seconds}]}`. A retried test failed first and passed on retry. The reason of
 * a skipped test is the argument of `context.skip`, or null.
 */
export default class ResultReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const results = {
      passed: 0,
      failed: 0,
      skipped: [],
      errors: unhandledErrors.map(({ message }) => message),
      retried: [],
    };
    const times = [];
    for (const testModule of testModules) {
      const file = relative(process.cwd(), testModule.moduleId);
      for (const test of testModule.children.allTests()) {
        count(results, file, test);
      }
      times.push({ file, seconds: secondsOf(testModule.diagnostic()) });
      // A file that does not load, or a hook that throws, fails without a failed test.
      const suites = [testModule, ...testModule.children.allSuites()];
      results.errors.push(...suites.flatMap((suite) => suite.errors().map(({ message }) => `${file}: ${message}`)));
    }
    const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestFiles);
    writeFileSync(process.env.GUILDHALL_TEST_RESULTS, JSON.stringify({ ...results, slowest }));
  }
}

function secondsOf({ collectDuration, setupDuration, duration }) {
  return Math.round((collectDuration + setupDuration + duration) / 1_000);
}

function count(results, file, test) {
  const { state, note } = test.result();
  if (state === 'passed') {
    results.passed += 1;
    if (test.diagnostic()?.flaky === true) {
      results.retried.push({ file, name: test.fullName, reason: test.result().errors?.[0]?.message ?? '' });
    }
  } else if (state === 'failed') {
    results.failed += 1;
  } else {
    // Pending: the run ended before it.
    const reason = state === 'pending' ? 'did not run' : (note ?? null);
    results.skipped.push({ file, name: test.fullName, reason });
  }
}
