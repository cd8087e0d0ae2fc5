import { script } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { SessionInput } from '../../../../test/support/sessions.ts';

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
});
beforeEach(() => fixture.worker());
afterAll(() => fixture.close());
// Otherwise the sessions of the next test would get it.
afterEach(async () => {
  for (const id of made.splice(0)) await fixture.api.call('DELETE', `${organization}/skills/${id}`);
});

const organization = '/v3/organizations/default';
const deep = `references/${'a'.repeat(90)}/${'b'.repeat(90)}.md`;

function manual(name: string, description: string, body = 'Do it.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}

const made: string[] = [];

interface Made {
  id: string;
  digest: string;
}

async function skill(files: object[], more: object = {}): Promise<Made> {
  const answer = await fixture.api.call('POST', `${organization}/skills`, { body: { files, ...more } });
  if (answer.status !== 201) throw new Error(answer.text);
  made.push(String(answer.json['id']));
  return { id: String(answer.json['id']), digest: String(answer.json['digest']) };
}

async function outputOf(id: string): Promise<string> {
  const events = await fixture.events(id);
  return events.map(({ kind, data }) => (kind === 'output' ? String(data['text']) : '')).join('');
}

/** Returns the recorded skills of a session, turn by turn. */
async function givenTo(id: string): Promise<Record<string, unknown>[][]> {
  const { rows } = await fixture.api.ctx.db.pool.query<{ given: { skills: Record<string, unknown>[] } }>(
    'select given from session_contexts where session_id = $1 order by turn',
    [id],
  );
  return rows.map(({ given }) => given.skills);
}

/** Returns a session whose agent runs these commands, even if they fail. */
function running(commands: string[], more: SessionInput): SessionInput {
  const steps = commands.map((run) => ({ run, allow_failure: true }));
  return { agent: { steps, summary: 'Looked.' }, ...more };
}

describe('the skills of a session', () => {
  test('lie whole in both places, and its own stay where the repository has them', async () => {
    const { id, digest } = await skill([
      { path: 'SKILL.md', content: manual('greet-people', 'Greets people.') },
      { path: 'scripts/greet.sh', content: '#!/bin/sh\necho "hello from the skill"\n', executable: true },
      { path: deep, content: 'far below\n' },
    ]);
    await skill([
      { path: 'SKILL.md', content: manual('large-one', 'Is large.') },
      ...[1, 2, 3].map((at) => ({ path: `data-${at}`, content: 'x'.repeat(262_144) })),
    ]);
    await skill([{ path: 'SKILL.md', content: manual('house-style', 'The house style.') }]);
    const files = {
      'a.txt': 'x\n',
      '.agents/skills/house-style/SKILL.md': manual('house-style', "The repository's own style."),
    };
    // Its result would redirect the skills into the repository.
    const setup = 'mkdir -p ~/.claude && ln -s /workspace ~/.claude/skills && ln -s /workspace ~/.agents';
    const repository = await fixture.repository(files, { setup_command: setup });
    const session = await fixture.run(
      running(
        [
          'cat ~/.agents/skills/greet-people/SKILL.md',
          '~/.claude/skills/greet-people/scripts/greet.sh',
          `cat ~/.agents/skills/greet-people/${deep}`,
          'diff -r ~/.agents/skills ~/.claude/skills && echo same',
          'cd ~/.agents/skills/greet-people && find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum',
          'test -e greet-people || test -e skills || echo nothing was written here',
          'du -b ~/.agents/skills/large-one/data-3; ls ~/.agents/skills; cat .agents/skills/house-style/SKILL.md',
        ],
        { repository, prompt: 'greet people, please' },
      ),
    );
    expect(session).toMatchObject({ status: 'completed' });
    const output = await outputOf(session.id);
    for (const text of [
      'description: Greets people.',
      'hello from the skill',
      'far below',
      'same',
      '262144',
      'nothing was written here',
    ])
      expect(output).toContain(text);
    expect(output).toContain(digest.replace('sha256:', ''));
    expect(output).toContain("The repository's own style.");
    expect(output).toContain('greet-people\nlarge-one\n');
    const [given] = await givenTo(session.id);
    expect(given?.map(({ name, source, path, revision }) => [name, source, path, revision])).toEqual([
      ['greet-people', 'managed', '~/.agents/skills/greet-people', 1],
      ['house-style', 'repository', '.agents/skills/house-style', 0],
      ['large-one', 'managed', '~/.agents/skills/large-one', 1],
    ]);
    expect(given?.[0]).toMatchObject({
      id,
      digest,
      reason: expect.stringContaining('The prompt shares words with it'),
      match: expect.stringMatching(/^The prompt shares words with it: .*\.$/),
    });
    expect(given?.[1]).toMatchObject({ id: '', reason: 'It is stored in the repository.' });
  });

  test('are pinned: a later turn in a fresh sandbox has what the first one had, changed or deleted since', async () => {
    const kept = await skill([{ path: 'SKILL.md', content: manual('kept-one', 'Is kept.', 'first words') }]);
    const gone = await skill([{ path: 'SKILL.md', content: manual('gone-one', 'Is gone.', 'last words') }]);
    const commands = ['cat ~/.agents/skills/*/SKILL.md'];
    const session = await fixture.run(running(commands, { repositories: [], skill_ids: [kept.id, gone.id] }));
    expect(await outputOf(session.id)).toContain('first words');
    const changed = { content: manual('kept-one', 'Is kept.', 'second words') };
    const put = await fixture.api.call('PUT', `${organization}/skills/${kept.id}/files/SKILL.md`, { body: changed });
    expect(put.json).toMatchObject({ revision: 2 });
    await fixture.api.call('DELETE', `${organization}/skills/${gone.id}`);
    // Its sandbox ends with its worker.
    await fixture.stopWorkers();
    await fixture.startWorker();
    const before = (await fixture.events(session.id)).length;
    await fixture.api.call('POST', `${organization}/sessions/${session.id}/messages`, { body: { content: 'again' } });
    await fixture.until(async () => {
      const events = (await fixture.events(session.id)).slice(before);
      return events.some(({ kind, data }) => kind === 'status' && data['status'] === 'completed') ? true : undefined;
    }, 'the second turn ends');
    const later = (await fixture.events(session.id)).slice(before);
    const output = later.map(({ kind, data }) => (kind === 'output' ? String(data['text']) : '')).join('');
    expect(output).toContain('first words');
    expect(output).toContain('last words');
    expect(output).not.toContain('second words');
    const [one, two] = await givenTo(session.id);
    expect(two).toEqual(one);
    expect(one?.map(({ digest }) => digest).toSorted()).toEqual([kept.digest, gone.digest].toSorted());
    const fresh = await fixture.run(running(commands, { repositories: [] }));
    const [given] = await givenTo(fresh.id);
    expect(given).toMatchObject([{ name: 'kept-one', revision: 2, digest: put.json['digest'] }]);
    expect(await outputOf(fresh.id)).toContain('second words');
  });

  test('are told of by name and description, and what the prompt asks for is marked', async () => {
    await skill([
      {
        path: 'SKILL.md',
        content: manual('sql-migrations', 'Writes database migrations for PostgreSQL.', 'secret step'),
      },
    ]);
    await skill([{ path: 'SKILL.md', content: manual('brand-voice', 'Words for marketing pages.') }]);
    await skill([{ path: 'SKILL.md', content: manual('not-here', 'Is off.') }], { enabled: false });
    const prompt = `Add a migration to our database. ${script([{ say: 'Done.' }])}`;
    const session = await fixture.run({ prompt, repositories: [] });
    expect(session).toMatchObject({ status: 'completed' });
    const [given] = await givenTo(session.id);
    expect(given?.map(({ name }) => name)).toEqual(['sql-migrations', 'brand-voice']);
    const told = JSON.stringify(fixture.model.requests.at(-1)?.body);
    expect(told).toMatch(
      /- `sql-migrations`, in `\/home\/agent\/\.agents\/skills\/sql-migrations\/SKILL\.md`: Writes database migrations for PostgreSQL\. \(Probably relevant here\. The prompt shares words with it: database, migrations\.\)/,
    );
    expect(told).toContain('brand-voice/SKILL.md`: Words for marketing pages.');
    expect(told).toContain('read its SKILL.md before you start');
    expect(told).not.toContain('secret step');
    expect(told).not.toContain('not-here');
    const none = await fixture.run({ prompt, repositories: [], skill_ids: [] });
    expect(await givenTo(none.id)).toEqual([[]]);
    expect(JSON.stringify(fixture.model.requests.at(-1)?.body)).not.toContain('sql-migrations');
  });
});
