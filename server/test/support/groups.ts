import { expect } from 'vitest';
import type { TestApi } from './api.ts';
import { join, personalKey } from './members.ts';

export interface Person {
  id: string;
  key: string;
}

interface Amounts {
  cost_usd: number;
  tokens: number;
  sessions: number;
  sandbox_minutes: number;
}

const organization = '/v3/organizations/default';
let count = 0;

/** Creates a member of the default organization, with a key. */
export async function newPerson(api: TestApi): Promise<Person> {
  const { json } = await api.call('GET', '/v3/self');
  const orgId = String(Object(json['organization']).id);
  const id = await join(api, orgId, 'member');
  return { id, key: await personalKey(api, orgId, id) };
}

/** Creates a group of these members; returns its id. */
export async function newGroup(api: TestApi, people: Person[], limits: object): Promise<string> {
  count += 1;
  const { json } = await api.call('POST', `${organization}/groups`, { body: { name: `Group ${count}`, limits } });
  const id = String(json['id']);
  const body = { user_ids: people.map((one) => one.id) };
  expect((await api.call('POST', `${organization}/groups/${id}/members`, { body })).status).toBe(200);
  return id;
}

/** Creates a session of a member; returns its id. */
export async function newSession(api: TestApi, by: Person, body: object = {}): Promise<string> {
  const answer = await api.call('POST', `${organization}/sessions`, {
    key: by.key,
    body: { prompt: 'Do it.', ...body },
  });
  expect(answer.status).toBe(201);
  return String(answer.json['id']);
}

export async function usageOf(api: TestApi, id: string, date = ''): Promise<{ used: Amounts; reserved: Amounts }> {
  const query = date === '' ? '' : `?date=${date}`;
  const { json } = await api.call('GET', `${organization}/groups/${id}/usage${query}`);
  return { used: Object(json['used']), reserved: Object(json['reserved']) };
}
