import { readFile } from 'node:fs/promises';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorkerProcess, type WorkerProcess } from '../support/failures.ts';
import { readFilesBelow } from '../support/files.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestSession } from '../support/sessions.ts';

/** Credentials of an operator, each with a text that must not appear anywhere. */
const canaries = {
  ANTHROPIC_API_KEY: 'sk-ant-canary-7f3a',
  OPENAI_API_KEY: 'sk-canary-81bc',
  GOOGLE_GENERATIVE_AI_API_KEY: 'AIza-canary-55d0',
  AWS_SECRET_ACCESS_KEY: 'aws-canary-92ee',
  npm_config__authToken: 'npm-canary-0c1d',
};
const marker = 'marker-of-the-search-5e1f';

let fixture: RuntimeFixture;
let worker: WorkerProcess;
let model: ScriptedModel;
let sessions: TestSession[];
let everywhere: Map<string, string>;

/**
 * Searches every place where a program in a sandbox could find a credential, prints it all and writes it into the work.
 */
const look = `
{ echo ${marker}; env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; git config --list --show-origin; git remote -v
  cat .git/config ~/.gitconfig ~/.git-credentials ~/.netrc ~/.npmrc /etc/npmrc /etc/gitconfig; env | grep -i -E 'proxy|config'
  cat ~/.guildhall/* ~/.guildhall/*/*; GIT_TRACE_CURL=1 GIT_CURL_VERBOSE=1 git ls-remote origin
  curl -sv "$http_proxy/git/local/x"; find / -xdev -newer /etc/passwd -type f -size -64k -not -path '/proc/*' -not -path '/usr/*' 2>/dev/null | head -500 | xargs cat
} 2>&1 | tr -d '\\000' | tee found.txt
echo 42 > answer`;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  model = await startScriptedModel();
  worker = await startWorkerProcess(fixture.api, fixture.api.url, {
    ...canaries,
    // The host's npm is queried: it has one of the canaries.
    PATH: process.env['PATH'] ?? '',
    OPENAI_BASE_URL: `${model.url}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  });
  const repository = await fixture.repository({ answer: '41\n' });
  const verify_command = 'env; cat /proc/*/environ; grep -q 42 answer';
  const agent = { steps: [{ run: look }], summary: '' };
  sessions = await Promise.all([
    fixture.run({ repository, agent, verify_command }),
    fixture.run({ repository, prompt: script([{ run: look }, { say: 'That is all.' }]), verify_command }),
  ]);
  everywhere = new Map([
    ...(await databaseTexts()),
    ...(await readFilesBelow(fixture.api.ctx.config.blobs)),
    ['what the model was sent', JSON.stringify(model.requests.map(({ body }) => body))],
    ['events', JSON.stringify(await Promise.all(sessions.map(({ id }) => fixture.events(id))))],
  ]);
  const clone = await fixture.clone(repository, 'main');
  everywhere.set('delivered', await fixture.git(clone, 'log', '-p', '--all', '--format=fuller'));
}, 60_000);

afterAll(async () => {
  await worker.close();
  await fixture.close();
  await model.close();
});

/** Returns every row of every table, as text. */
async function databaseTexts(): Promise<[string, string][]> {
  const { pool } = fixture.api.ctx.db;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: [string, string][] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.push([name, rows.map(({ text }) => text).join('\n')]);
  }
  return texts;
}

function placesOf(secret: string | RegExp): string[] {
  return [...everywhere].filter(([, text]) => text.search(secret) >= 0).map(([place]) => place);
}

describe('a command that prints all that it can find', () => {
  test('ends well, and the search finds what it did print', () => {
    for (const session of sessions)
      expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', error: null });
    const places = placesOf(marker);
    expect(places).toEqual(
      expect.arrayContaining([
        'events',
        'delivered',
        'what the model was sent',
        'public.session_events',
        'public.session_records',
      ]),
    );
    expect(places.some((place) => place.endsWith('.patch'))).toBe(true);
    expect(everywhere.get('delivered')).toContain('GIT_CONFIG_COUNT');
  });

  test("runs where the model is called with the operator's key", () => {
    const keys = model.requests.map(({ headers }) => headers['authorization']);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${canaries.OPENAI_API_KEY}`]));
  });

  test.each(Object.entries(canaries))('finds no %s', (_name, value) => {
    expect(placesOf(value)).toEqual([]);
  });

  test('finds neither a credential of its run nor one of the gateway, nor the key of a person', async () => {
    expect(placesOf(/guildrun_/)).toEqual([]);
    expect(placesOf(/Bearer [\w-]{20}/)).toEqual([]);
    expect(placesOf(/authorization: (?:Basic|Bearer)/i)).toEqual([]);
    expect(placesOf(fixture.api.adminKey)).toEqual([]);
    const ring = await readFile(fixture.api.ctx.config.keyRing, 'utf8');
    const secrets = ring.match(/[\w+/=-]{32,}/g) ?? [];
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(placesOf(secret)).toEqual([]);
  });
});
