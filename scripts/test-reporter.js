import { writeFileSync } from 'node:fs';

/**
 * Writes the results for `scripts/test.js`:
 * `{files: [{file, project, seconds, processorSeconds, passed, failures, skipped, errors}], errors}`.
 * `failures` and `skipped` are tests, `{name, reason}`; the reason of a skipped test is the argument of `context.skip`,
 * or null. `errors` are messages: of a file that does not load, of a hook that throws, of no file at all.
 */
export default class ResultReporter {
  /** Says at once what failed: a whole run takes long. */
  onTestCaseResult(testCase) {
    const { state, errors } = testCase.result();
    if (state === 'failed') console.log(`${testCase.fullName} failed: ${errors?.[0]?.message ?? ''}`);
  }

  onTestRunEnd(testModules, unhandledErrors) {
    const results = {
      files: testModules.map((testModule) => resultOf(testModule)),
      errors: unhandledErrors.map(({ message }) => message),
    };
    writeFileSync(process.env.GUILDHALL_TEST_RESULTS, JSON.stringify(results));
  }
}

function resultOf(testModule) {
  const suites = [testModule, ...testModule.children.allSuites()];
  const result = {
    file: testModule.moduleId,
    project: testModule.project.name,
    seconds: secondsOf(testModule.diagnostic()),
    processorSeconds: (testModule.meta().processorMs ?? 0) / 1_000,
    passed: 0,
    failures: [],
    skipped: [],
    errors: suites.flatMap((suite) => suite.errors().map(({ message }) => message)),
  };
  for (const test of testModule.children.allTests()) {
    const { state, note, errors } = test.result();
    const name = test.fullName;
    if (state === 'passed') result.passed += 1;
    else if (state === 'failed') result.failures.push({ name, reason: errors?.[0]?.message ?? '' });
    // Pending: the run ended before it.
    else result.skipped.push({ name, reason: state === 'pending' ? 'did not run' : (note ?? null) });
  }
  return result;
}

function secondsOf({ collectDuration, setupDuration, duration }) {
  return Math.round((collectDuration + setupDuration + duration) / 1_000);
}
