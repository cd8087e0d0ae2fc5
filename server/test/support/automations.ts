import { createRun, type NewRun } from '../../src/features/automations/runs/create-service.ts';
import type { RunRow } from '../../src/features/automations/runs/store.ts';
import type { TestApi } from './api.ts';

const organization = '/v3/organizations/default';

export interface TestAutomation {
  id: string;
  org_id: string;
}

/** Creates an automation without triggers in the organization `default`; by default of an external executor. */
export async function newAutomation(
  api: TestApi,
  fields: Record<string, unknown> = {},
  on = organization,
  key = api.adminKey,
): Promise<TestAutomation> {
  const body = {
    name: 'nightly',
    triggers: [],
    action: { prompt_template: 'Update the dependencies.' },
    executor: 'external',
    ...fields,
  };
  const made = await api.call('POST', `${on}/automations`, { body, key });
  if (made.status !== 201) throw new Error(`POST ${on}/automations: ${made.text}`);
  const { json } = await api.call('GET', on, { key });
  return { id: String(made.json['id']), org_id: String(json['id']) };
}

let made = 0;

/** Creates a run of an automation, as a trigger does. */
export async function newRun(
  api: TestApi,
  automation: TestAutomation,
  input: Partial<NewRun> = {},
): Promise<RunRow & { isNew: boolean }> {
  made += 1;
  const run = await api.ctx.db.transaction((trx) =>
    createRun(api.ctx, trx, automation, {
      trigger: { type: 'manual' },
      scheduledFor: null,
      payload: {},
      deduplicationKey: `test ${made}`,
      ...input,
    }),
  );
  if (run === undefined) throw new Error(`The automation ${automation.id} does not exist.`);
  return run;
}

export interface ClaimedAttempt {
  id: string;
  fencing_token: number;
  attempt_no: number;
  callback_token: string;
}

/** Claims a run as an external executor; undefined if there is none. */
export async function claim(api: TestApi, body: object = {}, key = api.adminKey): Promise<ClaimedAttempt | undefined> {
  const answer = await api.call('POST', `${organization}/automations/runs/claim`, { body, key });
  if (answer.status === 204) return undefined;
  if (answer.status !== 200) throw new Error(`claim: ${answer.text}`);
  const { id, fencing_token, attempt_no, callback_token } = Object(answer.json['run']);
  return { id, fencing_token, attempt_no, callback_token };
}
