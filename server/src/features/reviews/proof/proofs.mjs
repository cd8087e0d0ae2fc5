// Runs the commands of findings on the head and on the base of a change, and reports how each ended.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const task = readFileSync(process.env.GUILDHALL_PROMPT_FILE, 'utf8');
const base = /^base: ([0-9a-f]{40,64})$/m.exec(task)?.[1];
const commands = JSON.parse(/^commands: (.+)$/m.exec(task)?.[1] ?? 'null');
if (base === undefined || commands === null) throw new Error('The task names no base commit or no commands.');

const secondsEach = 60;
const endsAt = performance.now() + 8 * 60_000;
const maxOutput = 4_000;
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', timeout: 120_000 });
const top = git('rev-parse', '--show-toplevel').trim();
const before = join(mkdtempSync(join(tmpdir(), 'base-')), 'tree');
git('-C', top, 'worktree', 'add', '--quiet', '--detach', before, base);
if (existsSync(join(top, 'node_modules')) && !existsSync(join(before, 'node_modules')))
  symlinkSync(join(top, 'node_modules'), join(before, 'node_modules'));

function run(directory, { command, expects }) {
  const PATH = [join(directory, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
  // `timeout` ends the processes that the command started, too.
  const { status, output } = spawnSync(
    'timeout',
    ['--kill-after=2', String(secondsEach), 'bash', '-c', `exec 2>&1; ${command}`],
    { cwd: directory, env: { ...process.env, PATH }, encoding: 'utf8', input: '', maxBuffer: 16 * 1024 * 1024 },
  );
  const text = (output ?? []).join('').replaceAll(`${directory}/`, '').replaceAll(directory, '.');
  const count = expects === '' ? 0 : text.split(expects).length - 1;
  return { status: status ?? 124, count, output: text.slice(-maxOutput) };
}

const runs = [];
for (const one of commands) {
  if (performance.now() > endsAt) break;
  const head = run(top, one);
  runs.push({ id: one.id, head, base: run(before, one) });
  process.stdout.write(
    `$ ${one.command}\nexit code ${head.status} on the head, ${runs.at(-1).base.status} on the base\n`,
  );
}
git('-C', top, 'worktree', 'remove', '--force', before);
writeFileSync(process.env.GUILDHALL_OUTPUT, JSON.stringify({ runs }));
