import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { printedBy, told } from '../support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../support/sessions.ts';

/** Shortened; the product's own timings are used when a worker is lost permanently. */
const timings = { leaseMs: 6_000, heartbeatMs: 1_200, pollMs: 800 };

let fixture: RuntimeFixture;
let model: ScriptedModel;
/** The connection of both workers to the database. */
let database: DatabaseProxy;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  model = await startScriptedModel();
  database = await startDatabaseProxy(fixture.api.connectionString);
  for (const id of ['one', 'two'])
    await fixture.startWorker({
      id,
      connectionString: database.connectionString,
      modelUrl: model.url,
      slots: 2,
      timings,
    });
});
afterAll(async () => {
  database.mend();
  await fixture.close();
  await Promise.all([database.close(), model.close()]);
});

const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);

/** Cuts the database for longer than a lease. */
async function outage(): Promise<void> {
  database.cut();
  const cutAt = performance.now();
  await fixture.until(
    async () => (performance.now() - cutAt > timings.leaseMs + timings.heartbeatMs ? true : undefined),
    'the outage is long',
  );
  database.mend();
}

describe('outages of the database that are longer than a lease', () => {
  test('cost a session nothing whose worker is there: it goes on with its sandbox, and says what was', async () => {
    const gate = 'until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do sleep 1; done';
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [
      { run: 'echo one >> answer; echo first step' },
      { run: `echo here; for i in $(seq 1 120); do echo "line $i"; sleep 0.2; done; ${gate}; echo 42 >> answer` },
    ];
    const other = await fixture.repository({ answer: '41\n' });
    const prompt = script([{ run: 'echo here; sleep 3; echo 42 >> answer' }, { say: 'It is 42 now.' }]);
    const verify_command = 'grep -q 42 answer';
    const scripted = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(scripted.id, printed('here'));
    const builtin = await fixture.create({ repository: other, prompt, verify_command });
    await fixture.event(builtin.id, printed('here'));
    for (const times of [1, 2, 3]) {
      await outage();
      await fixture.until(async () => {
        const lines = told(await fixture.events(scripted.id));
        return lines.filter((line) => line.includes('database_unavailable')).length >= times || undefined;
      }, `the end of outage ${times} is told`);
    }
    const clone = await fixture.clone(repository, 'main');
    await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
    for (const { id } of [scripted, builtin]) {
      const session = await fixture.reaches(id, 'completed', 'failed');
      expect(session).toMatchObject({ status: 'completed', verification: 'fixed', error: null });
      // A statement at the moment of the cut may have been executed; then another attempt starts.
      if (id === scripted.id) expect(session.attempt_no).toBe(1);
      const events = await fixture.events(id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const warnings = told(events).filter((line) => /^(?:warning|error)/.test(line));
      for (const line of warnings)
        expect(line).toMatch(/database_unavailable: The worker could not reach the database for \d+ s\. The session/);
      expect(warnings.length).toBeGreaterThan(0);
    }
    const events = await fixture.events(scripted.id);
    const lines = printedBy(events).match(/line \d+/g);
    expect(lines).toEqual(Array.from({ length: 120 }, (_, index) => `line ${index + 1}`));
    const branch = (await fixture.get(scripted.id)).repositories[0]?.branch ?? '';
    expect(await readFile(join(await fixture.clone(repository, branch), 'answer'), 'utf8')).toBe('41\none\n42\n');
    expect(model.requests).toHaveLength(2);
  });
});
