import { assert, asyncProperty, integer, property } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claim, newAutomation, newRun, type ClaimedAttempt } from '../../../../test/support/automations.ts';
import { RunModel, steps, Witness, type Command, type Result, type Seen } from '../../../../test/support/run-model.ts';
import { endEvent, stateAfter, type RunState } from './change.ts';
import { nextAttemptAt } from './due.ts';
import { lookAtRun } from './look-service.ts';
import { judge } from './report.ts';
import { findRunTransition } from './transitions.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const maxAttempts = integer({ min: 1, max: 3 });

/** A run in memory, by the functions that decide about the stored one. */
class PureRun {
  state: RunState = {
    status: 'pending',
    attempt_no: 1,
    fencing_token: 0,
    token_attempt_no: 0,
    outcome: '',
    by_watchdog: false,
  };
  readonly #retry: { max_attempts: number; backoff_seconds: number };

  constructor(max_attempts: number) {
    this.#retry = { max_attempts, backoff_seconds: 1 };
  }

  do(command: Command): Result {
    switch (command.act) {
      case 'claim':
        return this.#apply('start') ? 'ok' : 'none';
      case 'lapse':
        return this.state.status === 'running' ? this.#end('timed_out', true) : 'none';
      case 'due':
        return this.state.status === 'retrying' && this.#apply('advance') ? 'ok' : 'none';
      case 'retry':
        return this.#apply('advance') ? 'ok' : 'invalid_transition';
      case 'cancel':
        if (this.state.status === 'canceled') return 'ok';
        if (this.state.status === 'running') return this.#end('canceled', false);
        return this.#apply('cancel') ? 'ok' : 'invalid_transition';
      case 'report': {
        const verdict = judge(this.state, command);
        switch (verdict.kind) {
          case 'refused':
            return verdict.code;
          case 'duplicate':
            return 'duplicate';
          case 'renew':
            return this.#apply('renew') ? 'ok' : 'illegal';
          case 'end':
            return this.#end(verdict.outcome, false);
          case 'correct':
            return this.#apply('correct') ? 'ok' : 'illegal';
        }
      }
    }
  }

  #apply(event: Parameters<typeof findRunTransition>[1]): boolean {
    if (findRunTransition(this.state.status, event) === undefined) return false;
    this.state = stateAfter(this.state, { event });
    return true;
  }

  #end(outcome: 'succeeded' | 'failed' | 'timed_out' | 'canceled', byWatchdog: boolean): Result {
    const retries = nextAttemptAt(this.#retry, this.state.attempt_no, new Date(0)) !== undefined;
    this.state = stateAfter(this.state, { event: endEvent(outcome, retries), outcome, byWatchdog });
    return 'ok';
  }
}

test('100,000 interleavings of claims, lapses, retries, duplicates and late reports do what the contract says', () => {
  let played = 0;
  let corrected = 0;
  assert(
    property(maxAttempts, steps, (most, given) => {
      const [model, run, witness] = [new RunModel(most), new PureRun(most), new Witness()];
      for (const step of given) {
        const command = model.commandOf(step);
        const expected = model.expect(command);
        const result = run.do(command);
        const { status, attempt_no, fencing_token } = run.state;
        if (result !== expected) throw new Error(`${JSON.stringify(command)}: ${result}, not ${expected}`);
        const [seen, wanted] = [{ status, attempt_no, fencing_token }, model.seen()];
        if (JSON.stringify(seen) !== JSON.stringify(wanted))
          throw new Error(`${JSON.stringify(command)}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
        witness.see(seen, command);
      }
      for (const { ends } of model.handed) {
        const isCorrection = ends.join() === 'timed_out by the watchdog,succeeded';
        if (ends.length > 1 && !isCorrection) throw new Error(`an attempt ended as ${ends.join(', then ')}`);
        if (isCorrection) corrected += 1;
      }
      played += 1;
    }),
    { numRuns: 100_000 },
  );
  expect(played).toBe(100_000);
  // The interleavings reach what is rare.
  expect(corrected).toBeGreaterThan(100);
});

/** A stored run, through the API and the clock. */
class StoredRun {
  readonly id: string;
  readonly #automation: string;
  readonly #claims = new Map<number, ClaimedAttempt>();

  constructor(id: string, automation: string) {
    this.id = id;
    this.#automation = automation;
  }

  async do(command: Command): Promise<Result> {
    const path = `/v3/organizations/default/automations/runs/${this.id}`;
    switch (command.act) {
      case 'claim': {
        const claimed = await claim(api, { automation_ids: [this.#automation] });
        if (claimed !== undefined) this.#claims.set(claimed.fencing_token, claimed);
        return claimed === undefined ? 'none' : 'ok';
      }
      case 'lapse':
        return this.#pass('lease_expires_at', 'running');
      case 'due':
        return this.#pass('next_attempt_at', 'retrying');
      case 'cancel':
      case 'retry': {
        const { status, json } = await api.call('POST', `${path}/${command.act}`);
        return status === 200 ? 'ok' : String(json['error']);
      }
      case 'report': {
        const { act: _, ...body } = command;
        // With the attempt's own token where it has one; else with a key.
        const key = this.#claims.get(command.fencing_token)?.callback_token ?? api.adminKey;
        const { status, json } = await api.call('POST', `/automations/runs/${this.id}/callback`, { body, key });
        if (status !== 200) return String(json['error']);
        return json['duplicate'] === true ? 'duplicate' : 'ok';
      }
    }
  }

  /** Lets one of its times pass, and does what the job does then. */
  async #pass(time: 'lease_expires_at' | 'next_attempt_at', status: string): Promise<Result> {
    const { rowCount } = await api.ctx.db.pool.query(
      `update automation_runs set ${time} = now() - interval '1 second' where id = $1 and status = $2`,
      [this.id, status],
    );
    await lookAtRun(api.ctx, this.id);
    return rowCount === 1 ? 'ok' : 'none';
  }

  async seen(): Promise<Seen> {
    const { json } = await api.call('GET', `/v3/organizations/default/automations/runs/${this.id}`);
    return {
      status: String(json['status']),
      attempt_no: Number(json['attempt_no']),
      fencing_token: Number(json['fencing_token']),
    };
  }
}

test('60 interleavings against the API do the same', async () => {
  await assert(
    asyncProperty(maxAttempts, steps, async (most, given) => {
      const automation = await newAutomation(api, {
        retry: { max_attempts: most, backoff_seconds: 3_600 },
        pause_after_failures: 0,
      });
      const run = new StoredRun((await newRun(api, automation)).id, automation.id);
      const [model, witness] = [new RunModel(most), new Witness()];
      for (const step of given) {
        const command = model.commandOf(step);
        const expected = model.expect(command);
        expect([command, await run.do(command)]).toEqual([command, expected]);
        const seen = await run.seen();
        expect([command, seen]).toEqual([command, model.seen()]);
        witness.see(seen, command);
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);
