import { maxTailBytes } from '../log/output.ts';

/** End of a check's command. */
export interface CommandEnd {
  exitCode: number | null;
  timedOut: boolean;
  outOfMemory: boolean;
  /** End of both streams, interleaved as they arrived. */
  outputTail: string;
}

/** Last output of a test runner that ran nothing. */
interface RunnerError {
  line: RegExp;
  /** Lines of the runner that may follow. */
  after?: RegExp;
  /** Exit codes that go with it. */
  exits: readonly number[];
  /** A line that shows that something did run. */
  unless?: RegExp;
  problem: string | ((found: RegExpExecArray, lines: readonly string[]) => string);
}

/** Test runners. If one is missing, the code under test has not failed. */
const runners = new Set(['ava', 'jest', 'vitest', 'mocha', 'tap', 'tape', 'uvu', 'jasmine', 'qunit', 'tsx', 'ts-node']);
const pythonRunners = 'pytest|nose2?|tox|nox|unittest2|hypothesis';

const commandMissing = /: ([^:]+): (?:command not found|not found|No such file or directory)$/;

const runnerErrors: readonly RunnerError[] = [
  {
    line: /^(?:\S+: )?(?:line )?\d+: ([^:]+): (?:command )?not found$/,
    exits: [127],
    problem: ([, name = '']) => `\`${name}\` was not found.`,
  },
  {
    line: /^\S+: 0: (?:cannot|can't) open (\S+?)(?:: .*)?$/i,
    exits: [2, 127],
    problem: ([, name = '']) => `There is no \`${name}\`.`,
  },
  {
    line: /^make(?:\[\d+\])?: \*\*\* (No rule to make target '[^']*'|No targets specified and no makefile found)\. +Stop\.$/,
    exits: [2],
    problem: ([, what = '']) => `make says: ${what}.`,
  },
  {
    line: /^\S*python[\d.]*: (?:No module named ([^\s;]+?)(?:\.__main__)?(?:;.*)?|Error while finding module specification for '([^']+)' .*)$/,
    exits: [1],
    problem: ([, name, spec]) => `Python has no module \`${name ?? spec ?? ''}\`.`,
  },
  {
    line: new RegExp(`^ModuleNotFoundError: No module named '(${pythonRunners})(?:\\.[^']*)?'$`),
    exits: [1],
    problem: ([, name = '']) => `Python has no module \`${name}\`.`,
  },
  {
    line: /^\S*python[\d.]*: can't open file '([^']+)'/,
    exits: [2],
    problem: ([, name = '']) => `There is no \`${name}\`.`,
  },
  {
    line: /^ModuleNotFoundError: No module named '([^']+)'$/,
    after: /^(?:-+|Ran 1 test in .*|FAILED \(errors=1\))$/,
    exits: [1],
    problem: ([, name = ''], lines) =>
      lines.some((line) => line === `ImportError: Failed to import test module: ${name}`)
        ? `unittest found no test module \`${name}\`.`
        : '',
  },
  {
    line: /^ImportError: Start directory is not importable: (.*)$/,
    exits: [1],
    problem: ([, name = '']) => `unittest found no directory ${name}.`,
  },
  { line: /^NO TESTS RAN$/, exits: [5], problem: 'unittest found no tests.' },
  {
    line: /^(?:=+ )?(?:no tests ran|\d+ deselected) in \S+(?: =+)?$/,
    exits: [5],
    problem: 'pytest found no tests.',
  },
  {
    line: /^ERROR: ((?:file or directory )?not found: .*)$/,
    after: /^\(no (?:name|match) .*$/,
    exits: [4],
    unless: /\b\d+ errors? in \S+/,
    problem: ([, what = '']) => `pytest says: ${what}.`,
  },
  {
    line: /^\S+: error: (unrecognized arguments: .*)$/,
    after: /^ +(?:inifile|rootdir): .*$/,
    exits: [4],
    problem: ([, what = '']) => `pytest says: ${what}.`,
  },
  {
    line: /^npm (?:error|ERR!) (Missing script: .*|npx canceled due to missing packages.*|enoent Could not read package\.json.*)$/,
    after: /^npm (?:error|ERR!)(?: .*)?$/,
    exits: [1, 254],
    problem: ([, what = '']) => `npm says: ${what}`,
  },
  {
    line: /^npm (?:error|ERR!) code (E[A-Z_]+|E\d+)$/,
    after: /^npm (?:error|ERR!)(?: .*)?$/,
    exits: [1],
    problem: ([, code = ''], lines) =>
      lines.some((line) => /^npm (?:error|ERR!) .*(?:request to|- GET) http/.test(line))
        ? `npm could not download a package (${code}).`
        : '',
  },
  { line: /^error (Command ".*" not found)\.$/, exits: [1], problem: ([, what = '']) => `yarn says: ${what}.` },
  {
    line: /^\s*ERR_PNPM_NO_SCRIPT\s+(\S.*)?$/,
    after: /^Command ".*" not found\.(?: .*)?$/,
    exits: [1],
    problem: ([, what = '']) => `pnpm says: ${what}.`,
  },
  {
    line: /^(?:Error|Error \[ERR_MODULE_NOT_FOUND\]): Cannot find (?:module|package) '([^']+)'(?: imported from (.*))?$/,
    after: /^(?:Require stack:|- .*|\s+at .*|\s+\w+: .*|\s+'.*|\s*\]|\}|Node\.js v\S+)$/,
    exits: [1],
    problem: nodeProblem,
  },
  { line: /^Could not find '(.*)'$/, exits: [1], problem: ([, name = '']) => `node --test found no \`${name}\`.` },
  { line: /^ *[✘✖×] Couldn[’']t find any files to test$/, exits: [1], problem: 'ava found no files to test.' },
  {
    line: /^No tests found, exiting with code 1$/,
    after: /^(?:Run with `--passWithNoTests` .*|In .*| +\d+ files? checked.*| +\w+: .*|Pattern: .*)$/,
    exits: [1],
    problem: 'jest found no tests.',
  },
  {
    line: /^No test files found, exiting with code 1$/,
    after: /^(?:filter|include|exclude|projects?|typecheck \w+): .*$/,
    exits: [1],
    problem: 'vitest found no test files.',
  },
  { line: /^Error: No test files found: .*$/, exits: [1], problem: 'mocha found no test files.' },
  { line: /^No (?:valid )?test files found(?: matching .*)?$/, exits: [1], problem: 'tap found no test files.' },
  {
    line: /^(?:package \S+: )?(no Go files in \S+|no packages to test|pattern \S+: .*|stat \S+: directory not found)$/,
    exits: [1],
    problem: ([, what = '']) => `go says: ${what}.`,
  },
  {
    line: /^\S.*: Get "https?:\/\/[^"]+": .*$/,
    after: /^FAIL(?:\t\S+ \[setup failed\])?$/,
    exits: [1],
    problem: 'go could not download a module.',
  },
  {
    line: /^error: (could not find `Cargo\.toml` in .*|no test target named .*|no matching package named .*|failed to (?:get|download) .*)$/,
    after: /^(?:Caused by:| +.*|location searched: |required by |As a reminder, )/,
    exits: [101],
    problem: ([, what = '']) => `cargo says: ${what}.`,
  },
];

/** Output of runners that succeed without any test: every line must match `all`, and one must match `says`. */
const emptyRuns: readonly { all: RegExp; says: RegExp; runner: string }[] = [
  { runner: 'go', all: /^(?:go: .*|\?\s+\S+\s+\[no test files\])$/, says: /\[no test files\]$/ },
  { runner: 'node --test', all: /^(?:ℹ|#) \w+ [\d.]+$|^TAP version \d+$|^1\.\.0$/, says: /^(?:ℹ|#) tests 0$/ },
  { runner: 'tape', all: /^TAP version \d+$|^1\.\.0$|^# (?:tests|pass) +0$|^# ok$/, says: /^# tests 0$/ },
  { runner: 'unittest', all: /^(?:-+|Ran 0 tests in .*|OK)$/, says: /^Ran 0 tests in / },
  { runner: 'jest', all: /^No tests found, exiting with code 0$/, says: /^/ },
  {
    runner: 'vitest',
    all: /^(?: ?RUN .*|No test files found, exiting with code 0|(?:filter|include|exclude): .*)$/,
    says: /^No test files found/,
  },
  {
    runner: 'cargo',
    all: /^(?: +(?:Compiling|Finished|Running|Doc-tests) .*|running 0 tests|test result: ok\. 0 passed; 0 failed; 0 ignored; .*)$/,
    says: /^running 0 tests$/,
  },
];

/** Lines that npm, yarn and make print before the command they run. */
const wrapperEcho =
  /^(?:> .*|npm warn .*|yarn run .*|\$ .*|(?:go test|node|python3?|cargo test|npx|tape|jest|vitest)(?: .*)?)$/;

/**
 * Returns a sentence that says why a check's command checked nothing; `''` if it did run. Considers the command's end and its
 * last lines only: the same text in the middle of the output may come from a test.
 */
export function whyCheckDidNotRun({ exitCode, timedOut, outOfMemory, outputTail }: CommandEnd): string {
  if (timedOut) return 'It timed out and was stopped.';
  if (outOfMemory) return 'The sandbox ran out of memory.';
  if (exitCode === null || exitCode === 137) return 'It was killed.';
  const all = outputTail
    .replaceAll(ansi, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  if (exitCode === 0) return Buffer.byteLength(outputTail) < maxTailBytes ? emptyProblem(all) : '';
  const { lines, exit } = withoutWrapper(all, exitCode);
  if (exit === 127) {
    const name = commandMissing.exec(lines.at(-1) ?? '')?.[1];
    return name === undefined ? 'A command was not found.' : `\`${name}\` was not found.`;
  }
  if (exit === 126) return 'A command could not be executed.';
  for (const refusal of runnerErrors) {
    const problem = matchRunnerError(refusal, lines, exit);
    if (problem !== '') return problem;
  }
  return '';
}

// eslint-disable-next-line no-control-regex -- colours are control characters.
const ansi = /\u001B\[[\d;]*[A-Za-z]/g;

function matchRunnerError(
  { line, after, exits, unless, problem }: RunnerError,
  lines: readonly string[],
  exit?: number,
): string {
  if (exit !== undefined && !exits.includes(exit)) return '';
  for (const text of lines.toReversed()) {
    const found = line.exec(text);
    if (found !== null) {
      if (unless !== undefined && lines.some((other) => unless.test(other))) return '';
      return typeof problem === 'string' ? problem : problem(found, lines);
    }
    if (after?.test(text) !== true) return '';
  }
  return '';
}

function emptyProblem(lines: readonly string[]): string {
  const said = lines.filter((line) => !wrapperEcho.test(line));
  const empty = emptyRuns.find(
    ({ all, says }) => said.some((line) => says.test(line)) && said.every((line) => all.test(line)),
  );
  return empty === undefined ? '' : `${empty.runner} found no tests.`;
}

/** Lines that make and package managers add after the command they ran. */
const wrappers: readonly { line: RegExp; exit?: 'told' | 'untold' }[] = [
  { line: /^make(?:\[\d+\])?: \*\*\* \[.*\] Error (\d+)$/, exit: 'told' },
  { line: /^make(?:\[\d+\])?: (?:Leaving|Entering) directory .*$/ },
  { line: /^error Command failed with exit code (\d+)\.$/, exit: 'told' },
  { line: /^info Visit https:\/\/yarnpkg\.com\/.*$/ },
  { line: /^\s*ELIFECYCLE\s+Command failed with exit code (\d+)\.$/, exit: 'told' },
  { line: /^\s*ELIFECYCLE\s+Test failed\..*$/, exit: 'untold' },
  { line: /^\s*WARN\s+Local package\.json exists, but node_modules missing.*$/ },
  { line: /^npm (?:error|ERR!) code (\d+)$/, exit: 'told' },
  { line: /^npm (?:error|ERR!) (?:Lifecycle script|path|workspace|location|command) .*$/ },
];

/** Removes the lines that wrappers add at the end. `exit` is the exit code of the wrapped command; undefined if unknown. */
function withoutWrapper(all: readonly string[], exitCode: number): { lines: string[]; exit: number | undefined } {
  const lines = [...all];
  let exit: number | undefined = exitCode;
  for (;;) {
    const last = lines.at(-1) ?? '';
    const wrapper = wrappers.find(({ line }) => line.test(last));
    if (wrapper === undefined) return { lines, exit };
    if (wrapper.exit !== undefined) exit = wrapper.exit === 'told' ? Number(wrapper.line.exec(last)?.[1]) : undefined;
    lines.pop();
  }
}

/** A missing module means that nothing ran only if it is the test runner or the file to run. */
function nodeProblem([, name = '', importer]: RegExpExecArray, lines: readonly string[]): string {
  const stack = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  const [first = importer ?? ''] = stack;
  const isPackage = !/^[./]/.test(name);
  const runner = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const preloaded = first === 'internal/preload' || first.endsWith('/');
  if (isPackage && (preloaded || runners.has(runner))) return `Node.js found no package \`${runner}\`.`;
  const started = first === '' || /\/node_modules\//.test(first);
  return !isPackage && started && importer === undefined ? `There is no \`${name}\`.` : '';
}
