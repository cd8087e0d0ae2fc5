// Runs the linters of a repository on the base and on the head of a change, and reports what only the head has.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, extname, join, relative, resolve } from 'node:path';

const task = readFileSync(process.env.GUILDHALL_PROMPT_FILE, 'utf8');
const [base, head] = ['base', 'head'].map((name) => new RegExp(`^${name}: ([0-9a-f]{40,64})$`, 'm').exec(task)?.[1]);
if (base === undefined || head === undefined)
  throw new Error('The task does not name the base and the head of a change.');

const limits = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', ...limits });
const top = git('rev-parse', '--show-toplevel').trim();
process.chdir(top);
const before = join(mkdtempSync(join(tmpdir(), 'base-')), 'tree');
git('worktree', 'add', '--quiet', '--detach', before, base);
if (existsSync('node_modules') && !existsSync(join(before, 'node_modules')))
  symlinkSync(join(top, 'node_modules'), join(before, 'node_modules'));

const changed = git('diff', '--name-status', '-z', '-M', '--diff-filter=AMR', base, head).split('\0');
/** Changed files by their path at the head, with their path at the base. */
const files = new Map();
for (let at = 0; at + 1 < changed.length;) {
  const isRename = changed[at].startsWith('R');
  files.set(changed[at + (isRename ? 2 : 1)], changed[at + 1]);
  at += isRename ? 3 : 2;
}

function programOf(name, directory) {
  const places = [join(directory, 'node_modules/.bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return places.map((place) => join(place, name)).find((path) => existsSync(path));
}
const has = (name) => readdirSync(top).some((one) => name.test(one));
const severities = { error: 'high', warning: 'medium', note: 'low', info: 'low', style: 'low' };

/** Reads SARIF 2.1.0. */
function readSarif(text) {
  return (JSON.parse(text).runs ?? []).flatMap((run) =>
    (run.results ?? []).map((result) => {
      const place = result.locations?.[0]?.physicalLocation;
      return {
        file: decodeURIComponent((place?.artifactLocation?.uri ?? '').replace(/^file:\/\//, '')),
        line: place?.region?.startLine,
        rule: result.ruleId ?? run.tool?.driver?.name ?? 'linter',
        level: result.level ?? 'warning',
        message: result.message?.text ?? '',
      };
    }),
  );
}

/**
 * `read` returns what a linter says from its output. Without `isUsed` it always runs. `each`: it gets one file at a time.
 * `isFallback`: what it says about a line counts only if no linter before it reported an error there.
 */
const linters = [
  {
    name: 'eslint',
    ends: ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts', '.tsx'],
    isUsed: () => has(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.(?:json|c?js|ya?ml))?)$/),
    args: ['--format', 'json', '--'],
    read: (text) =>
      JSON.parse(text).flatMap(({ filePath, messages }) =>
        messages
          // One without a line says that the configuration ignores the file.
          .filter(({ line }) => line !== undefined)
          .map(({ ruleId, severity, line, message }) => ({
            file: filePath,
            line,
            rule: ruleId ?? 'syntax',
            level: severity === 2 ? 'error' : 'warning',
            message,
          })),
      ),
  },
  {
    name: 'oxlint',
    ends: ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts', '.tsx'],
    isUsed: () => has(/^(?:\.oxlintrc\.jsonc?|oxlint\.config\.ts)$/),
    args: ['--format', 'json'],
    read: (text) =>
      JSON.parse(text).diagnostics.map(({ filename, labels, code, severity, message }) => ({
        file: filename,
        line: labels?.[0]?.span?.line,
        rule: code ?? 'oxlint',
        level: severity,
        message,
      })),
  },
  {
    name: 'tsc',
    ends: ['.ts', '.cts', '.mts', '.tsx'],
    isUsed: () => has(/^tsconfig\.json$/),
    args: ['--noEmit', '--pretty', 'false'],
    // It checks the whole project.
    whole: true,
    read: (text) =>
      [...text.matchAll(/^(.+)\((\d+),\d+\): (error|warning) (TS\d+): (.+)$/gm)]
        .map(([, file, line, level, rule, message]) => ({ file, line: Number(line), rule, level, message }))
        // Without its dependencies, a project has these everywhere.
        .filter(
          ({ rule }) =>
            has(/^node_modules$/) || !/^TS(?:2307|2503|2580|2584|2591|2688|2792|2875|7016|7026)$/.test(rule),
        ),
  },
  { name: 'ruff', ends: ['.py'], args: ['check', '--output-format', 'sarif', '--'], read: readSarif },
  { name: 'pyflakes3', ends: ['.py'], isUsed: () => programOf('ruff', top) === undefined, args: [], read: readLines },
  {
    name: 'shellcheck',
    ends: ['.sh', '.bash'],
    args: ['--format', 'json', '--'],
    read: (text) =>
      JSON.parse(text).map(({ file, line, code, level, message }) => ({
        file,
        line,
        rule: `SC${code}`,
        level,
        message,
      })),
  },
  {
    name: 'node',
    ends: ['.js', '.cjs', '.mjs'],
    args: ['--check'],
    each: true,
    isFallback: true,
    read: readSyntax(/^(\/.+):(\d+)$/m),
  },
  {
    name: 'python3',
    ends: ['.py'],
    args: ['-m', 'py_compile'],
    each: true,
    isFallback: true,
    read: readSyntax(/File "(.+)", line (\d+)/),
  },
  {
    name: 'bash',
    ends: ['.sh', '.bash'],
    isUsed: () => programOf('shellcheck', top) === undefined,
    args: ['-n'],
    each: true,
    read: (text) => readLines(text.replaceAll(': line ', ':')),
  },
  { name: 'ruby', ends: ['.rb'], args: ['-wc'], each: true, read: readLines },
  {
    name: 'php',
    ends: ['.php'],
    args: ['-l'],
    each: true,
    read: (text) =>
      [...text.matchAll(/^(?:PHP )?(.*error.*) in (.*) on line (\d+)$/gim)]
        .slice(0, 1)
        .map(([, message, file, line]) => ({ file, line: Number(line), rule: 'syntax', level: 'error', message })),
  },
  {
    name: 'gofmt',
    ends: ['.go'],
    args: ['-e', '-l'],
    each: true,
    // The errors after the first are its consequences.
    read: (text) => readLines(text).slice(0, 1),
  },
];

/** Reads lines such as `path:12:3: message`. */
function readLines(text) {
  return [...text.matchAll(/^([^:\n]+):(\d+):(?:\d+:)? *(.+)$/gm)].map(([, file, line, message]) => ({
    file,
    line: Number(line),
    rule: message.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`|\d+/g, '_').slice(0, 80),
    level: /warning/i.test(message) ? 'warning' : 'error',
    message,
  }));
}

/** Returns a reader of one syntax error, from the line that names its place. */
function readSyntax(place) {
  return (text) => {
    const [, file, line] = place.exec(text) ?? [];
    const message = /^\w*(?:Error|Warning): .+$/m.exec(text)?.[0];
    return file === undefined || message === undefined
      ? []
      : [{ file, line: Number(line), rule: 'syntax', level: 'error', message }];
  };
}

function runLinter(linter, directory, paths) {
  const program = programOf(linter.name, directory);
  const groups = linter.whole === true ? [[]] : linter.each === true ? paths.map((path) => [path]) : [paths];
  return groups.flatMap((group) => {
    const names = group.map((path) => (path.startsWith('-') ? `./${path}` : path));
    const options = { cwd: directory, encoding: 'utf8', ...limits };
    const { stdout, stderr, error, status } = spawnSync(program, [...linter.args, ...names], options);
    if (error !== undefined) throw new Error(`${linter.name} could not run: ${error.message}`);
    if (status === 0 && stdout === '' && stderr === '') return [];
    try {
      const said = linter.read(linter.each === true ? `${stdout}\n${stderr}` : stdout);
      return said.map((one) => ({
        ...one,
        linter: linter.name,
        status,
        file: relative(directory, resolve(directory, one.file)),
        command: [linter.name, ...linter.args, ...names].join(' '),
        // JSON has the message as it is written there.
        expects: (/^\s*[[{]/.test(stdout) ? JSON.stringify(one.message).slice(1, -1) : one.message).split('\n', 1)[0],
        args: linter.args,
        isWhole: linter.whole === true,
      }));
    } catch (failure) {
      throw new Error(
        `${linter.name} printed what cannot be read: ${failure.message}. It said: ${String(stderr || stdout).slice(0, 500)}`,
        { cause: failure },
      );
    }
  });
}

const texts = new Map();
function lineOf(directory, file, line) {
  const path = join(directory, file);
  if (!texts.has(path)) texts.set(path, existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
  return (texts.get(path)[line - 1] ?? '').trim();
}
/** Names a report by what it says, without its line number: one that the base has too is not reported. */
const nameOf = (directory, file, one) => [one.linter, one.rule, file, lineOf(directory, one.file, one.line)].join('\0');

const isReported = ({ file, line }) =>
  findings.some((one) => one.file === file && one.line === line && one.level === 'error');

const ran = [];
const failed = [];
const findings = [];
for (const linter of linters) {
  const known = [...files.keys()].filter((path) => linter.ends.includes(extname(path)));
  if (known.length === 0 || linter.isUsed?.() === false || programOf(linter.name, top) === undefined) continue;
  try {
    const there = known.map((path) => files.get(path)).filter((path) => existsSync(join(before, path)));
    const old = new Map();
    const heads = new Map([...files].map(([now, was]) => [was, now]));
    if (there.length > 0)
      for (const one of runLinter(linter, before, there)) {
        const name = nameOf(before, heads.get(one.file) ?? one.file, one);
        old.set(name, (old.get(name) ?? 0) + 1);
      }
    for (const one of runLinter(linter, top, known)) {
      const name = nameOf(top, one.file, one);
      const left = old.get(name) ?? 0;
      old.set(name, left - 1);
      if (left <= 0 && files.has(one.file) && !(linter.isFallback === true && isReported(one))) findings.push(one);
    }
    ran.push(linter.name);
  } catch (error) {
    failed.push(error.message);
  }
}

/** Quotes a word for Bash. */
const quoted = (word) => (/^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
const shown = findings
  .slice(0, 200)
  .map(({ file, line, rule, level, message, linter, command, status, args, isWhole, expects }) => ({
    file,
    ...(Number.isInteger(line) && line > 0 ? { line } : {}),
    severity: severities[level] ?? 'medium',
    confidence: 1,
    category: `${linter}: ${rule}`.slice(0, 100),
    title: (message.split('\n', 1)[0].trim() || rule).slice(0, 120),
    body: message.length > 120 || message.includes('\n') ? message.slice(0, 4_000) : '',
    evidence:
      `$ ${command}\n${file}:${line ?? ''}: ${message}\nexit code ${status}; not reported on the base commit`.slice(
        0,
        4_000,
      ),
    ...(expects.trim() === ''
      ? {}
      : {
          reproduction: {
            command: [linter, ...args, ...(isWhole ? [] : [file.startsWith('-') ? `./${file}` : file])]
              .map(quoted)
              .join(' ')
              .slice(0, 2_000),
            expects: expects.trim().slice(0, 300),
          },
        }),
  }));
const summary = [
  ran.length === 0
    ? 'No linter knows the changed files.'
    : `Ran ${ran.join(', ')} on ${files.size} changed ${files.size === 1 ? 'file' : 'files'}, on the base and on the head.`,
  ...failed,
].join('\n\n');
writeFileSync(process.env.GUILDHALL_OUTPUT, JSON.stringify({ summary: summary.slice(0, 8_000), findings: shown }));
git('worktree', 'remove', '--force', before);
for (const { file, line, title } of shown) process.stdout.write(`${file}:${line ?? ''}: ${title}\n`);
process.stdout.write(`${summary}\n`);
if (ran.length === 0 && failed.length > 0) process.exitCode = 1;
