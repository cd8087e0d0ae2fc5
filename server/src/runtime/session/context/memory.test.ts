import { createHash } from 'node:crypto';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { TestEvent, TestRepository, TestSession } from '../../../../test/support/sessions.ts';

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
});
afterAll(() => fixture.close());

const organization = '/v3/organizations/default';
const memory = `${organization}/memory`;

async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fixture.api.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json;
}

async function note({ repo }: TestRepository, title: string, content: string): Promise<string> {
  const { item } = await ask('POST', `${memory}/notes`, { repo, provider: 'local', title, content });
  return String(Object(item).memory_id);
}

async function projections(id: string): Promise<Record<string, unknown>[]> {
  const { items } = await ask('GET', `${memory}/projections?session_id=${id}`);
  return Array.isArray(items) ? items : [];
}

async function generated({ repo }: TestRepository): Promise<Record<string, unknown>[]> {
  const { items } = await ask('GET', `${memory}/generated?repo=${repo}&provider=local`);
  return Array.isArray(items) ? items : [];
}

/** Returns the output of the session's commands. */
async function printed(id: string): Promise<string> {
  const outputs = (await fixture.events(id)).filter(({ kind }) => kind === 'output');
  return outputs.map(({ data }) => String(data['text'])).join('');
}

const say = (id: string, content: string) => ask('POST', `${organization}/sessions/${id}/messages`, { content });
const startOf = (command: string) => (event: TestEvent) =>
  event.kind === 'command' && event.data['command'] === command;

/** Returns a session's model requests as text; each contains what its script names. */
function requestsWith(word: string): string[] {
  return fixture.model.requests.map(({ body }) => JSON.stringify(body)).filter((text) => text.includes(word));
}

/** Prints every file of memory with mode and content, and checks that the repository has none of them. */
const show = `cd ~ && for f in $(find .guildhall/memory .codex .claude .config .gemini .qwen -type f 2>/dev/null | sort); do
  echo "=== $(stat -c %a "$f") ~/$f $(sha256sum < "$f" | cut -c1-64)"; cat "$f"; done; cd /workspace && git status --porcelain`;

interface Shown {
  mode: string;
  sha256: string;
  content: string;
}

async function filesOf(id: string): Promise<Map<string, Shown>> {
  const [, ...parts] = (await printed(id)).split('=== ');
  return new Map(
    parts.map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const [mode = '', path = '', sha256 = ''] = head.split(' ');
      return [path, { mode, sha256, content: lines.join('\n') }];
    }),
  );
}

function scripted(repository: TestRepository, run = show, more: object = {}): Promise<TestSession> {
  return fixture.run({ repository, agent: { steps: [{ run }], summary: 'Done.' }, ...more });
}

const notes = '~/.guildhall/memory/notes/';
const codex = '~/.codex/memories/extensions/ad_hoc/notes/';
const claude = '~/.claude/guildhall-memory/';

describe('a session that starts in a fresh sandbox', () => {
  test('has every revision in a file of its own, read-only, in the places of every agent a script may start', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const build = await note(repository, 'How to build', 'Run `make`.');
    await ask('PATCH', `${memory}/notes/${build}`, { content: 'Run `make all`.' });
    const gone = await note(repository, 'Wrong', 'The secret plan.');
    await ask('DELETE', `${memory}/notes/${gone}`);
    await note({ ...repository, repo: 'acme/elsewhere' }, 'Elsewhere', 'Not of this repository.');
    const { id } = await scripted(repository);
    const files = await filesOf(id);
    const recorded = await projections(id);

    const named = [...files.keys()].filter((path) => path.startsWith(notes)).map((path) => path.slice(notes.length));
    expect(named).toHaveLength(3);
    for (const name of named) {
      expect(name).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-[a-z0-9][a-z0-9-]{0,79}\.md$/);
      expect(files.get(notes + name)?.mode).toBe('444');
      expect(files.get(codex + name)).toEqual(files.get(notes + name));
    }
    const contents = named.map((name) => files.get(notes + name)?.content ?? '');
    const of = (memoryId: string, revision: number) =>
      contents.find((text) => text.includes(`memory_id: ${memoryId}\nrevision: ${revision}\n`));
    expect(of(build, 1)).toContain('Run `make`.');
    expect(of(build, 2)).toContain('Run `make all`.');
    expect(of(gone, 2)).toContain('deleted: true');
    expect([...files.values()].some(({ content }) => /secret plan|Not of this/.test(content))).toBe(false);

    const index = `${claude}MEMORY.md`;
    expect([...files.keys()].filter((path) => path.startsWith(claude))).toHaveLength(2);
    expect(files.get('~/.claude/settings.json')?.content).toContain(
      '"autoMemoryDirectory": "~/.claude/guildhall-memory"',
    );
    for (const path of [index, '~/.config/opencode/AGENTS.md', '~/.gemini/GEMINI.md', '~/.qwen/QWEN.md']) {
      const text = files.get(path)?.content ?? '';
      expect([path, text.match(/^- \[/gm)?.length, text]).toEqual([path, 1, expect.stringContaining('How to build')]);
      expect(text.split('\n').length).toBeLessThanOrEqual(150);
    }

    const found = recorded.map(({ memory_id, revision, path, sha256 }) => [memory_id, revision, path, sha256]);
    expect(found).toHaveLength(3 + 3 + 1);
    for (const [, , path, sha256] of found) expect([path, files.get(String(path))?.sha256]).toEqual([path, sha256]);
    expect(recorded.every(({ session_id }) => session_id === id)).toBe(true);
    const { item } = await ask('GET', `${memory}/notes/${build}`);
    expect(item).toMatchObject({ revision: 2, materialized_revision: 2, materialized_at: expect.any(String) });
    expect(await printed(id)).not.toMatch(/^[?AM ]{2} /m);
  });

  test('a note of the largest size, one of nothing but emoji, and 200 more', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const largest = '漢'.repeat(81_920);
    await note(repository, 'Large', largest);
    for (let n = 0; n < 200; n += 1) await note(repository, `Note ${n}`, `🦊 ${n}`);
    const { id } = await scripted(
      repository,
      `cd ~/.guildhall/memory/notes && ls | wc -l && wc -c *-large-* && wc -l < ${claude}MEMORY.md && ls ${codex} | wc -l`,
    );
    const [count, large, lines, linked] = (await printed(id))
      .split('\n')
      .map((line) => Number.parseInt(line.trim(), 10));
    expect([count, linked]).toEqual([201, 201]);
    expect(large).toBeGreaterThan(245_760);
    expect(lines).toBeLessThanOrEqual(150);
    expect(await projections(id)).toHaveLength(201 * 3);
  });

  test('nothing with memory off: of the session, or of the organization', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const id = await note(repository, 'Hidden', 'x');
    const off = await scripted(repository, show, { memory_enabled: false });
    await ask('PUT', `${organization}/settings/memory`, { enabled: false });
    const disabled = await scripted(repository);
    await ask('PUT', `${organization}/settings/memory`, {});
    for (const session of [off, disabled]) {
      expect([...(await filesOf(session.id)).keys()]).toEqual([]);
      expect(await projections(session.id)).toEqual([]);
    }
    expect(await ask('GET', `${memory}/notes/${id}`)).toMatchObject({ item: { materialized_revision: null } });
    const on = await scripted(repository);
    expect((await filesOf(on.id)).size).toBeGreaterThan(0);
  });

  test('nothing is written through a link that the setup left in the home', async () => {
    await fixture.worker();
    const repository = await fixture.repository(
      { answer: '41\n' },
      {
        setup_command:
          'mkdir -p /workspace/trap && ln -s /workspace/trap ~/.gemini && ln -s /workspace/trap/x ~/.claude',
      },
    );
    await note(repository, 'Trapped', 'x');
    const { id } = await scripted(
      repository,
      'find /workspace/trap -type f | wc -l; ls ~/.guildhall/memory/notes | wc -l',
    );
    expect(await printed(id)).toBe('0\n1\n');
    const warnings = (await fixture.events(id)).filter(({ kind }) => kind === 'warning').map(({ data }) => data);
    expect(warnings).toEqual([{ code: 'memory_incomplete', message: expect.stringMatching(/is a symlink/) }]);
  });
});

test('a session goes on without what cannot be written, which its agent can read all the same', async () => {
  await fixture.worker();
  const repository = await fixture.repository(
    { answer: '41\n' },
    { setup_command: 'mkdir -p ~/.guildhall/memory && touch ~/.guildhall/memory/notes' },
  );
  await note(repository, 'Unwritten', 'First line.\nSecond line.');
  const word = 'Task without files.';
  const { items } = await ask('GET', `${memory}/notes?repo=${repository.repo}&provider=local`);
  const suffix = `-unwritten-${String(Object(Object(items)[0]).memory_id).slice(-10)}-1.md`;
  const at = String(Object(Object(items)[0]).created_at)
    .slice(0, 19)
    .replaceAll(':', '-');
  const steps = script([
    { call: { name: 'read_memory', input: { name: `notes/${at}${suffix}` } } },
    { run: 'cat ~/.guildhall/memory/notes; ls ~/.guildhall/memory' },
    { say: 'Done.' },
  ]);
  const { id } = await fixture.run({ repository, prompt: `${word}\n${steps}` });
  expect(requestsWith(word)[1]).toContain('Second line.');
  expect(await printed(id)).toBe('notes\n');
  expect(await projections(id)).toEqual([]);
  const warnings = (await fixture.events(id)).filter(({ kind }) => kind === 'warning').map(({ data }) => data['code']);
  expect(warnings).toEqual(['memory_incomplete']);
});

describe('the built-in agent', () => {
  test('has an index and reads notes; a warm turn knows nothing newer, a cold one does, and what was deleted is gone', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const first = await note(repository, 'Where the answer lies', 'In the file answer.\n\nIt is never 43.');
    const word = 'Task of three turns.';
    const steps = script([
      { call: { name: 'read_memory', input: { name: 'notes/none.md' } } },
      { run: 'cat ~/.guildhall/memory/notes/*.md' },
      { say: 'Turn one.' },
      { say: 'Turn two.' },
      { run: 'ls ~/.guildhall/memory/notes' },
      { say: 'Turn three.' },
    ]);
    const { id } = await fixture.create({ repository, prompt: `${word}\n${steps}` });
    await fixture.reaches(id, 'completed');
    const asked = requestsWith(word);
    expect(asked[0]).toContain('Where the answer lies');
    expect(asked[0]).toContain('In the file answer.');
    expect(asked[0]).not.toContain('It is never 43.');
    expect(asked[0]).toContain('"read_memory"');
    expect(asked.at(-1)).toContain('It is never 43.');
    expect(asked.at(-1)).toContain('There is no note');

    await note(repository, 'Newer knowledge', 'Written meanwhile.');
    await ask('DELETE', `${memory}/notes/${first}`);
    await say(id, 'Again.');
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 2 && data['status'] === 'completed',
    );
    const warm = requestsWith(word).at(-1) ?? '';
    expect(warm).toContain('Again.');
    expect(warm).toContain('Where the answer lies');
    expect(warm).not.toContain('Newer knowledge');

    await fixture.stopWorkers();
    await fixture.worker();
    await say(id, 'Once more.');
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 3 && data['status'] === 'completed',
    );
    const cold = requestsWith('Once more.')[0] ?? '';
    expect(cold).toContain('Newer knowledge');
    expect(cold).not.toContain('[Where the answer lies]');
    const given = (await projections(id)).map(({ memory_id, revision }) => `${String(memory_id)} ${String(revision)}`);
    expect(given.filter((line) => line.startsWith(first))).toEqual([`${first} 1`, `${first} 2`]);
    expect(given).toHaveLength(3);
  });

  test('another worker goes on in the middle of a turn with what the first one gave, whatever changed', async () => {
    const first = await fixture.worker({ id: 'first' });
    const repository = await fixture.repository({ answer: '41\n' });
    const kept = await note(repository, 'Kept as it was', 'First words.');
    const wait = 'until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do sleep 0.2; done; true lost';
    const word = 'Task of two workers.';
    const steps = script([
      { run: 'echo one >> answer' },
      { run: wait },
      { run: 'cat ~/.guildhall/memory/notes/*' },
      { say: 'Done.' },
    ]);
    const { id } = await fixture.create({ repository, prompt: `${word}\n${steps}` });
    await fixture.event(id, startOf(wait));
    await ask('PATCH', `${memory}/notes/${kept}`, { title: 'Changed', content: 'Second words.' });
    await note(repository, 'Not before', 'x');
    await first.drain(10);
    await fixture.worker();
    const clone = await fixture.clone(repository, 'main');
    await fixture.git(clone, 'push', '-q', 'origin', 'main:go');
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 2 });
    const asked = requestsWith(word);
    const system = (text: string) =>
      JSON.stringify(text.slice(text.indexOf('# Memory'), text.indexOf('First words.') + 20));
    expect(new Set(asked.map(system)).size).toBe(1);
    expect(asked[0]).toContain('Kept as it was');
    expect(await printed(id)).toContain('First words.');
    expect(await printed(id)).not.toMatch(/Second words|Not before/);
    expect(await projections(id)).toHaveLength(1);
  });
});

describe('generated memory', () => {
  test('what the built-in agent says it did is there for the next session, marked and masked', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    await ask('POST', `${organization}/secrets`, { key: 'MEMORY_TEST', value: 'hunter2-hunter2' });
    const { id } = await fixture.run({
      repository,
      title: 'First task',
      prompt: script([{ run: 'echo 42 > answer' }, { say: 'The answer lies in answer; hunter2-hunter2.' }]),
    });
    const [file, ...others] = await generated(repository);
    expect(others).toEqual([]);
    expect(file).toMatchObject({ agent: 'builtin', path: 'summary.md' });
    expect(file?.['content']).toContain(`${id}: First task\n\nThe answer lies in answer; `);
    expect(file?.['content']).not.toContain('hunter2');

    const word = 'Task of the next session.';
    const steps = script([
      { call: { name: 'read_memory', input: { name: `generated/builtin/local/${repository.repo}/summary.md` } } },
      { run: `cat ~/.guildhall/memory/generated/builtin/local/${repository.repo}/summary.md; false` },
      { say: 'Seen.' },
    ]);
    const next = await fixture.run({ repository, prompt: `${word}\n${steps}` });
    const asked = requestsWith(word);
    expect(asked[0]).toContain('## Generated by agents');
    expect(asked[1]).toContain('The answer lies in answer');
    expect(await printed(next.id)).toBe(file?.['content']);
    expect(String((await generated(repository))[0]?.['content']).match(/<!-- ses_/g)).toHaveLength(2);
    const off = await fixture.run({ repository, prompt: script([{ say: 'Unheard.' }]), memory_enabled: false });
    expect(off.status).toBe('completed');
    expect((await generated(repository))[0]?.['content']).not.toContain('Unheard.');
  });

  test('of other agents their own files are collected: text, not too large, and through no link', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n', 'private.md': 'Of the repository.' });
    await note(repository, 'A note', 'Ours.');
    const native = `cd ~ && ls .codex/memories >/dev/null && echo learned > .codex/memories/MEMORY.md && echo short > .codex/memories/memory_summary.md
      echo no > .codex/memories/raw.md; ln -s /workspace/private.md .claude/guildhall-memory/linked.md; printf 'a\\0b' > .claude/guildhall-memory/binary.md
      printf '\\377' > .claude/guildhall-memory/latin.md; head -c 200000 /dev/zero | tr '\\0' x > .claude/guildhall-memory/large.md
      echo topic > .claude/guildhall-memory/topic.md; echo '- [topic](topic.md)' >> .claude/guildhall-memory/MEMORY.md`;
    await scripted(repository, native);
    const collected = (await generated(repository)).map(({ agent, path, content }) => [
      agent,
      path,
      String(content).trim(),
    ]);
    expect(collected).toEqual([
      ['claude-code', 'MEMORY.md', '- [topic](topic.md)'],
      ['claude-code', 'topic.md', 'topic'],
      ['codex', 'MEMORY.md', 'learned'],
      ['codex', 'memory_summary.md', 'short'],
    ]);
    const { id } = await scripted(repository);
    const files = await filesOf(id);
    const index = files.get(`${claude}MEMORY.md`)?.content ?? '';
    expect(index).toContain('A note');
    expect(index).toContain('- [topic](topic.md)');
    expect(files.get('~/.codex/memories/MEMORY.md')?.content).toBe('learned\n');
    const copy = files.get(`~/.guildhall/memory/generated/codex/local/${repository.repo}/MEMORY.md`);
    expect(copy).toEqual({
      mode: '444',
      content: 'learned\n',
      sha256: createHash('sha256').update('learned\n').digest('hex'),
    });
    // A session that adds nothing leaves it unchanged.
    expect(
      (await generated(repository)).map(({ agent, path, content }) => [agent, path, String(content).trim()]),
    ).toEqual(collected);
  });
});
