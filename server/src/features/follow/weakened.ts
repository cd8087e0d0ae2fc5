import { isTestFile } from '../../git/sensitive-files.ts';

const workflow =
  /^(?:\.github\/workflows|\.circleci|\.buildkite|\.azure-pipelines|\.ci)\/|^(?:\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile|\.drone\.yml|\.woodpecker\.yml)$/;
/** Marks that keep test runners from running a test, or from running the others. */
const skip =
  /\.(?:skip|only|todo)\b|\bx(?:it|test|describe)\(|\bskip(?:if|unless)?\b|@(?:Disabled|Ignore)\b|\bt\.Skip|#\[ignore/i;

/** True for a file that says what continuous integration runs. */
export function isWorkflow(path: string): boolean {
  return workflow.test(path);
}

/** True if a change adds marks to a test file that keep tests from running. */
export function addsSkips({ path, patch }: { path: string; patch: string }): boolean {
  if (!isTestFile(path)) return false;
  const lines = patch.split('\n').filter((line) => line.length < 2_000);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign) && skip.test(line)).length;
  return count('+') > count('-');
}
