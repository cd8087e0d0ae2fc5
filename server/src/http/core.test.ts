import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe('authentication', () => {
  test('a request without a key is 401 and says how to send one', async () => {
    const answer = await api.call('GET', '/v3/self', { key: '' });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ error: 'unauthorized', request_id: answer.headers.get('x-request-id') });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('another organization answers as a missing one', async () => {
    const other = await api.createOrganization('Elsewhere');
    const foreign = await api.call('GET', `/v3/organizations/${other.id}/sessions`);
    const missing = await api.call('GET', '/v3/organizations/org_missing/sessions');
    expect([foreign.status, foreign.json['error']]).toEqual([404, 'organization_not_found']);
    expect([missing.status, missing.json['error']]).toEqual([404, 'organization_not_found']);
  });

  test('a missing scope is 403 and named, before the body is looked at', async () => {
    const key = await api.keyWith(['sessions:read']);
    const answer = await api.call('POST', '/v3/organizations/default/sessions', { key, raw: '{' });
    expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
    expect(answer.json['message']).toContain('run');
  });
});
