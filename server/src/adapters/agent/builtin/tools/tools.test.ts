import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../sandbox/port.ts';
import type { AgentEvent } from '../../port.ts';
import { openStage, type Stage } from '../builtin-fixture.ts';
import type { ToolOutcome } from './tool.ts';
import { toolsForMode } from './toolbox.ts';

let stage: Stage;
let sandbox: Sandbox;
let events: AgentEvent[];

beforeAll(async () => {
  stage = await openStage();
  sandbox = await stage.sandbox();
});

afterAll(() => stage.close());

beforeEach(async () => {
  events = [];
  await sandbox.exec({ command: 'rm -rf .git && find . -mindepth 1 -delete', timeoutMs: 10_000 });
});

const tools = toolsForMode('build');

function run(name: string, input: unknown, signal = new AbortController().signal): Promise<ToolOutcome> {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return tool.run(input, {
    sandbox,
    signal,
    onEvent: (event) => events.push(event),
    mask: (text: string) => text,
    maskLong: async (text: string) => text,
    keepOutput: async (commandId) => `art_${commandId}`,
    permit: async () => undefined,
    permitFile: async () => undefined,
  });
}

const at = (path: string) => `${sandbox.workspace}/${path}`;
const put = (path: string, content: string | Buffer, mode?: number) =>
  sandbox.writeFile(at(path), content, mode === undefined ? {} : { mode });
const get = async (path: string) => String(await sandbox.readFile(at(path)));
const exec = async (command: string) => String((await sandbox.exec({ command, timeoutMs: 10_000 })).stdout);

describe('shell', () => {
  test('tells output and exit code', async () => {
    expect(await run('shell', { command: 'echo out; echo err >&2; exit 3' })).toMatchObject({
      ok: false,
      changes: true,
      output: expect.stringMatching(/^out\nerr\n\[exit code 3, \d+\.\d s\]$/),
    });
    expect((await run('shell', { command: 'true' })).output).toMatch(/^\(no output\)\n\[exit code 0/);
  });

  test('of a long output the model sees both ends, and all of it is kept', async () => {
    const outcome = await run('shell', { command: 'seq 1 20000' });
    expect(outcome.output.length).toBeLessThan(31_000);
    expect(outcome.output).toMatch(/^1\n2\n/);
    expect(outcome.output).toMatch(/\[… [\d,]+ characters left out …\]/);
    expect(outcome.output).toContain('\n19999\n20000\n');
    const command = events.find((event) => event.kind === 'command');
    expect(outcome.artifactId).toBe(`art_${command?.commandId}`);
    const file = /the full output is in (.+)\]/.exec(outcome.output)?.[1] ?? '';
    expect(file.startsWith(sandbox.home)).toBe(true);
    expect(String(await sandbox.readFile(file))).toBe(
      Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''),
    );
  });

  test('a hundred megabytes cost no more memory than a few', async () => {
    const outcome = await run('shell', { command: 'head -c 100000000 /dev/zero | tr "\\\\0" x' });
    expect(outcome.ok).toBe(true);
    expect(outcome.output.length).toBeLessThan(31_000);
    expect(outcome.output).toContain('99,970,000 characters left out');
    expect(outcome.output).not.toContain('the full output is in');
    expect(outcome.artifactId).toBeDefined();
  });

  test('a command that does not end is ended, and the model is told what to do', async () => {
    const outcome = await run('shell', { command: 'echo begun; sleep 60', timeout_seconds: 0.2 });
    expect(outcome).toMatchObject({
      ok: false,
      output: expect.stringContaining('stopped by the platform after 0.2 s (exit code 124)'),
    });
    expect(outcome.output).toContain('begun');
  });

  test('a command in the background goes on', async () => {
    const outcome = await run('shell', { command: 'echo up; sleep 60', background: true });
    expect(outcome.ok).toBe(true);
    const [, pid = '', file = ''] = /process (\d+), output in (\S+);/.exec(outcome.output) ?? [];
    expect(outcome.background).toBe(Number(pid));
    expect(outcome.output).toMatch(/^up\n/);
    expect(String(await sandbox.readFile(file))).toBe('up\n');
    expect(await exec(`kill -0 -- -${pid} && kill -- -${pid} && echo alive`)).toBe('alive\n');
  });

  test('one in the background that fails at once says so', async () => {
    expect(await run('shell', { command: 'echo no; exit 4', background: true })).toMatchObject({
      ok: false,
      output: expect.stringMatching(/^no\n\[ended already\]\n\[exit code 4/),
    });
  });

  test('a command that is too long to start is a result', async () => {
    expect((await run('shell', { command: `: ${'x'.repeat(300_000)}` })).ok).toBe(false);
    expect((await run('shell', { command: 'a\0b' })).ok).toBe(false);
  });
});

describe('read', () => {
  test('numbers lines and goes on where it ended', async () => {
    await put('a.txt', Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}\n`).join(''));
    const { output } = await run('read', { path: 'a.txt' });
    expect(output).toMatch(/^1\tline 1\n2\tline 2\n/);
    expect(output).toMatch(/2000\tline 2000\n\[500 more lines; read on with offset 2001\]$/);
    expect((await run('read', { path: at('a.txt'), offset: 2_499, limit: 1 })).output).toBe(
      '2499\tline 2499\n[1 more lines; read on with offset 2500]',
    );
    expect(await run('read', { path: 'a.txt', offset: 3_000 })).toMatchObject({ ok: false });
  });

  test('is bounded for any file', async () => {
    await put('wide.txt', `${'x'.repeat(100_000)}\n`.repeat(100));
    const { output } = await run('read', { path: 'wide.txt' });
    expect(output.length).toBeLessThan(65_000);
    expect(output).toContain('[98,000 more characters]');
    await exec('truncate -s 20M big.bin');
    expect((await run('read', { path: 'big.bin' })).output).toContain('is too large to read');
  });

  test.each([
    ['an empty file', { path: 'empty' }, true, 'is empty'],
    ['a binary file', { path: 'image' }, true, 'binary file of 5 bytes'],
    ['a directory', { path: '.' }, true, 'dir/\nempty\nimage\nname with\\n a break'],
    ['a missing file', { path: 'imag.png' }, false, 'Similar names in this directory: image'],
    ['a missing directory', { path: 'no/where' }, false, 'no does not exist either'],
    ['a pipe', { path: 'pipe' }, false, 'neither a file nor a directory'],
    ['a place outside', { path: '/etc/x' }, false, 'outside of the workspace'],
  ])('%s', async (_name, input, ok, output) => {
    await put('empty', '');
    await put('image', Buffer.from([1, 0, 2, 0, 3]));
    await put('dir/file', 'x');
    await exec(`touch $'name with\\n a break'; mkfifo pipe`);
    const outcome = await run('read', input);
    expect(outcome.ok).toBe(ok);
    expect(outcome.output.replaceAll('"', '')).toContain(output);
  });
});

describe('write and edit', () => {
  test('keep what an existing file may do, and make directories', async () => {
    await put('tool.sh', 'echo old\n', 0o755);
    expect(await run('write', { path: 'tool.sh', content: 'echo new\n' })).toMatchObject({ ok: true, changes: true });
    expect(await run('edit', { path: 'tool.sh', old_text: 'new', new_text: 'newer' })).toMatchObject({ ok: true });
    expect(await exec('./tool.sh')).toBe('newer\n');
    expect(await run('write', { path: 'deep/er/file', content: '' })).toMatchObject({
      ok: true,
      output: 'Created deep/er/file: 0 lines.',
    });
    expect(await run('write', { path: 'deep', content: '' })).toMatchObject({ ok: false });
  });

  test('an edit replaces one place, or every one', async () => {
    await put('a.txt', 'one two\none three');
    const twice = await run('edit', { path: 'a.txt', old_text: 'one', new_text: '1' });
    expect(twice).toMatchObject({ ok: false, output: expect.stringContaining('occurs 2 times in') });
    expect(await run('edit', { path: 'a.txt', old_text: 'one three', new_text: '$& three' })).toMatchObject({
      ok: true,
      output: 'Edited a.txt at line 2.',
    });
    await run('edit', { path: 'a.txt', old_text: 'o', new_text: '0', replace_all: true });
    expect(await get('a.txt')).toBe('0ne tw0\n$& three');
  });

  test('an edit of very many places takes no longer than reading the file, and makes no file too large', async () => {
    await put('lines.txt', 'a\n'.repeat(1_000_000));
    const whole = { path: 'lines.txt', old_text: 'a', replace_all: true };
    expect(await run('edit', { ...whole, new_text: 'x'.repeat(1_000) })).toMatchObject({
      ok: false,
      output: expect.stringContaining('would be larger than 10 MiB'),
    });
    expect(await run('edit', { ...whole, new_text: 'b' })).toMatchObject({
      ok: true,
      output: 'Edited lines.txt in 1000000 places.',
    });
    expect(await exec('sort -u lines.txt')).toBe('b\n');
  });

  test('a file keeps its kind of line breaks', async () => {
    await put('dos.txt', 'one\r\ntwo\r\nthree');
    await run('edit', { path: 'dos.txt', old_text: 'one\ntwo', new_text: '1\n2' });
    await run('edit', { path: 'dos.txt', old_text: 'three', new_text: '3\n4\n' });
    expect(await get('dos.txt')).toBe('1\r\n2\r\n3\r\n4\r\n');
  });

  test('what is not found is looked for in the beginning of a large file alone', async () => {
    await put('large.txt', `${'- -\n'.repeat(300_000)}function greet(name) {\n`);
    expect(await run('edit', { path: 'large.txt', old_text: 'function greet(person) {', new_text: 'x' })).toEqual({
      ok: false,
      output: 'old_text is not in large.txt. The file contains nothing similar: read it again.',
    });
  });

  test('what is not found is told with the place that is most like it', async () => {
    await put('a.ts', 'import x;\n\nfunction greet(name) {\n  return `Hello, ${name}`;\n}\n');
    const space = await run('edit', { path: 'a.ts', old_text: 'function greet(name) {\n\treturn', new_text: 'x' });
    expect(space).toMatchObject({ ok: false, output: expect.stringContaining('3\tfunction greet(name) {') });
    const like = await run('edit', { path: 'a.ts', old_text: 'function greet(person) {', new_text: 'x' });
    expect(like.output).toContain('most similar');
    expect((await run('edit', { path: 'a.ts', old_text: 'zzz', new_text: 'x' })).output).toContain(
      'The file contains nothing similar',
    );
    expect((await run('edit', { path: 'b.ts', old_text: 'x', new_text: 'y' })).output).toContain('does not exist');
  });

  test('bytes that are no text are left alone', async () => {
    await put('latin1', Buffer.from('caf\xe9', 'latin1'));
    expect(await run('edit', { path: 'latin1', old_text: 'caf', new_text: 'x' })).toMatchObject({ ok: false });
    expect(await exec('wc -c < latin1')).toBe('4\n');
  });
});

describe.each(['git', 'plain'])('search in a %s directory', (kind) => {
  beforeEach(async () => {
    if (kind === 'git') await exec('git init -q');
    await put('.gitignore', 'ignored/\n');
    await put('src/a.ts', 'const one = 1;\nconst two = one + 1;\n');
    await put('src/b.js', 'const one = 1;\n');
    await put("odd 'name.ts", 'one\n');
  });

  test('finds lines by a regular expression', async () => {
    const { output } = await run('search', { pattern: String.raw`\bone\s=` });
    expect(output.split('\n').sort()).toEqual(['src/a.ts:1:const one = 1;', 'src/b.js:1:const one = 1;']);
    expect((await run('search', { pattern: '^const (?=two)', path: 'src' })).output).toBe(
      'src/a.ts:2:const two = one + 1;',
    );
    expect((await run('search', { pattern: 'one', path: 'src/b.js' })).output).toBe('src/b.js:1:const one = 1;');
    expect((await run('search', { pattern: 'one', glob: '*.ts' })).output.split('\n')).toHaveLength(3);
    expect((await run('search', { pattern: 'one', max_results: 1 })).output).toContain('[3 more;');
  });

  test('lists files', async () => {
    const { output } = await run('search', { pattern: '', glob: '*.ts' });
    expect(output.split('\n').sort()).toEqual(["odd 'name.ts", 'src/a.ts']);
    expect((await run('search', { pattern: '', path: 'src' })).output.split('\n').sort()).toEqual([
      'src/a.ts',
      'src/b.js',
    ]);
    expect((await run('search', { pattern: '', glob: '*.none' })).output).toBe('No such files.');
  });

  test('says that there is nothing, and what is wrong with a pattern', async () => {
    expect(await run('search', { pattern: 'nowhere' })).toEqual({ ok: true, output: 'No matches.' });
    expect(await run('search', { pattern: '(' })).toMatchObject({
      ok: false,
      output: expect.stringContaining('The search failed'),
    });
    expect(await run('search', { pattern: '-e', path: 'src' })).toEqual({ ok: true, output: 'No matches.' });
    expect(await run('search', { pattern: 'x', path: 'no' })).toMatchObject({ ok: false });
  });
});

test('search leaves out what git ignores, unless it is asked for', async () => {
  await exec('git init -q');
  await put('.gitignore', 'ignored/\n');
  await put('ignored/c.ts', 'const one = 3;\n');
  expect((await run('search', { pattern: 'one = 3' })).output).toBe('No matches.');
  expect((await run('search', { pattern: 'one = 3', path: 'ignored' })).output).toBe('ignored/c.ts:1:const one = 3;');
});

describe('set_check', () => {
  test('declares the check and writes its files', async () => {
    const check = { command: 'node --test', files: [{ path: 'test/a.test.js', content: 'x' }] };
    expect(await run('set_check', check)).toMatchObject({
      ok: true,
      changes: true,
      events: [{ kind: 'check', ...check }],
    });
    expect(await get('test/a.test.js')).toBe('x');
    expect(await run('set_check', { command: 'make test' })).toMatchObject({
      changes: false,
      events: [{ kind: 'check', command: 'make test', files: [] }],
    });
  });

  test.each(['../x', '/etc/x', '.git/hooks/x'])('refuses a file at %s', async (path) => {
    expect(await run('set_check', { command: 'x', files: [{ path, content: '' }] })).toMatchObject({ ok: false });
  });
});

test('an interrupted tool rejects, and a lost sandbox too', async () => {
  const aborted = AbortSignal.abort(new Error('enough'));
  for (const input of [{ path: 'a' }, { path: 'a', content: '' }, { command: 'true' }]) {
    const name = 'command' in input ? 'shell' : 'content' in input ? 'write' : 'read';
    await expect(run(name, input, aborted)).rejects.toThrow('enough');
  }
});
