import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { madeIn } from '../support/fixture.ts';
import { parameterOf, stock, type Inventory } from '../support/inventory.ts';

interface Operation {
  id: string;
  method: string;
  path: string;
  takesIfMatch: boolean;
  sendsETag: boolean;
}

const api: TestApi = await startTestApi();
const { slug, key } = await api.createOrganization('Lost updates');
let mine: Inventory;
let self: unknown;
beforeAll(async () => {
  mine = await stock(api, slug, key);
  self = (await api.call('GET', '/v3/self', { key })).json['principal_id'];
});
afterAll(() => api.close());

const { json: document } = await api.call('GET', '/openapi.json', { key: '' });
const operations = Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
  Object.entries(Object(methods)).map(([method, operation]): Operation => {
    const { operationId, parameters = [], responses } = Object(operation);
    const success = Object.entries(Object(responses)).find(([status]) => status < '300')?.[1];
    const takesIfMatch = parameters.some(({ name }: { name: string }) => name === 'if-match');
    const sendsETag = 'etag' in Object(Object(success).headers);
    expect([operationId, takesIfMatch]).toEqual([operationId, '412' in responses]);
    return { id: operationId, method: method.toUpperCase(), path, takesIfMatch, sendsETag };
  }),
);
const reads = new Map(
  operations.filter(({ method, sendsETag }) => method === 'GET' && sendsETag).map(({ path }) => [path, true]),
);

/** The path to read the record from that an operation changes; undefined for one that only lists have. */
function recordOf(path: string): string | undefined {
  if (path.endsWith('/roles')) return `${path}/{userId}`;
  if (path.endsWith('/comments/{commentId}')) return undefined;
  const steps = path.split('/');
  const ends = steps.map((_, at) => steps.slice(0, steps.length - at).join('/'));
  return ends.find((start) => reads.has(start));
}

/** Bodies that change something. */
const bodies: Record<string, () => object> = {
  updateAutomation: () => ({ name: 'Other' }),
  replaceDefaultGuardrails: () => ({ max_changed_files: 9 }),
  replaceGuardrails: () => ({ max_changed_files: 7 }),
  updateAgent: () => ({ name: 'Other' }),
  updateOrganization: () => ({ name: 'Renamed' }),
  updateGitConnection: () => ({ name: 'Other' }),
  updateGroup: () => ({ description: 'Other' }),
  // As many as before.
  replaceGroupMembers: () => ({ user_ids: [self] }),
  removeGroupMembers: () => ({ user_ids: [self] }),
  // The first one is the fixture's, whose id stays for its DELETE.
  replaceIpAccessList: () => ({ enabled: false, entries: [{ cidr: '192.0.2.0/24' }, { cidr: '203.0.113.0/24' }] }),
  replaceKnowledgeNote: () => ({ name: 'x', trigger: 'y', body: 'z' }),
  updateKnowledgeNote: () => ({ name: 'Other' }),
  updateMcpServer: () => ({ description: 'Other' }),
  setMcpServerSecret: () => ({ value: 'other' }),
  updateMember: () => ({ permission: 'viewer' }),
  updateMemoryNote: () => ({ title: 'Other' }),
  updateRepository: () => ({ environment: { setup_command: 'true' } }),
  updateChangeRequestComment: () => ({ resolved: false }),
  setRoleAssignment: () => ({ user_id: madeIn(mine, 'roles/{userId}'), role: 'pro' }),
  setSecretValue: () => ({ value: 'other' }),
  updateSecret: () => ({ note: 'Other' }),
  updateServiceUser: () => ({ description: 'Other' }),
  updateSession: () => ({ title: 'Other' }),
  replaceSettings: () => ({ allowed: ['a'] }),
  updateSkill: () => ({ enabled: false }),
  putSkillFile: () => ({ content: 'Other' }),
  updateFinding: () => ({ status: 'dismissed' }),
  replaceFollowPolicy: () => ({ mode: 'notify' }),
  replaceReviewPolicy: () => ({ mode: 'once' }),
  updateWebhook: () => ({ name: 'Other' }),
  replacePreference: () => ({ value: { other: true } }),
};
const queries: Record<string, string> = {
  deleteRepository: '?force=true',
  deleteSession: '?force=true',
};
/** Every organization keeps it. */
const kept = new Set(['deleteGitConnection']);

/** Deletions of what no request changes. */
const unchanging = new Set([
  'deleteApp',
  'deleteAppKey',
  'deleteAttachment',
  'deleteBrowserSession',
  'deleteGeneratedMemory',
  'deleteRepositoryIndex',
  'endSignIn',
  'revokeInvite',
  'revokePersonalKey',
  'revokeServiceUserKey',
  'revokeToolToken',
  'withdrawSessionMessage',
]);

/** Nobody reads a password, what was read never goes back, and an index is built from the repository alone. */
const without = new Set(['changePassword', 'markSessionRead', 'putRepositoryIndex']);

function urlOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    path.endsWith('/files/{path}') && name === 'path' ? 'other.md' : parameterOf(path, name, mine),
  );
}

function send({ id, method, path }: Operation, ifMatch: string, body = bodies[id]?.()) {
  if (body === undefined && method !== 'DELETE') throw new Error(`Add a body for ${id}.`);
  const headers = { 'if-match': ifMatch };
  const options = body === undefined ? { key, headers } : { key, headers, body };
  return api.call(method, `${urlOf(path)}${queries[id] ?? ''}`, options);
}

async function etagOf({ path }: Operation): Promise<string | undefined> {
  const record = recordOf(path);
  if (record === undefined) return undefined;
  const { status, headers } = await api.call('GET', urlOf(record), { key, headers: { 'accept-encoding': 'identity' } });
  expect([record, status]).toEqual([record, 200]);
  return headers.get('etag') ?? '';
}

// What ends a thing comes after what changes it. The organization has sessions, so that its own end is another test's.
const late = ({ method, path }: Operation): number => (method !== 'DELETE' ? 0 : reads.has(path) ? 2 : 1);
const changing = operations
  .filter(({ id, method, takesIfMatch }) => takesIfMatch && method !== 'POST' && id !== 'deleteOrganization')
  .toSorted((a, b) => late(a) - late(b));

test('every operation that replaces, changes or deletes a record, or a part of one, takes If-Match', () => {
  const lost = operations.filter(({ id, method, takesIfMatch }) => {
    if (takesIfMatch || without.has(id)) return false;
    return method === 'PUT' || method === 'PATCH' || (method === 'DELETE' && !unchanging.has(id));
  });
  expect(lost.map(({ id }) => id)).toEqual([]);
  expect(changing.length).toBeGreaterThan(30);
  const silent = changing.filter(({ method, sendsETag }) => method !== 'DELETE' && !sendsETag);
  expect(silent.map(({ id }) => id)).toEqual([]);
});

describe('with the ETag of an earlier state nothing changes, and of two with the current one', () => {
  test.each(changing)('exactly one wins: $id', async (operation) => {
    const { id, method } = operation;
    const read = await etagOf(operation);
    // Only lists have comments, so that its last change tells the ETag of one.
    const before = read ?? (await send(operation, '*', { resolved: true })).headers.get('etag') ?? '';
    expect(before).toMatch(/^"[\w-]+"$/);
    for (const stale of ['"0000"', `W/${before}`, '"a,b" ,, "0000",']) {
      const refused = await send(operation, stale);
      // What no request may do is said before what has changed.
      const why = kept.has(id) ? [409, 'conflict'] : [412, 'revision_conflict'];
      expect([stale, refused.status, refused.json['error']]).toEqual([stale, ...why]);
    }
    for (const malformed of ['', 'junk', before.replaceAll('"', ''), `*, ${before}`, `w/${before}`, `${before} "x"`]) {
      const refused = await send(operation, malformed);
      const status = operation.path.startsWith('/v3/') ? 400 : 422;
      expect([malformed, refused.status]).toEqual([malformed, status]);
    }
    expect((await etagOf(operation)) ?? before).toBe(before);
    const race = await Promise.all(Array.from({ length: 2 }, () => send(operation, `"0000", ${before}`)));
    const statuses = race.map(({ status }) => status).toSorted((a, b) => a - b);
    if (kept.has(id)) return expect(statuses).toEqual([409, 409]);
    expect(statuses).toEqual([expect.toBeOneOf([200, 202, 204]), expect.toBeOneOf([404, 412])]);
    const won = race.find(({ status }) => status === 200);
    expect(method === 'DELETE' || won !== undefined).toBe(true);
    if (won === undefined) return undefined;
    expect(won.headers.get('etag')).not.toBe(before);
    const after = won.headers.get('etag');
    return expect((await etagOf(operation)) ?? after).toBe(after);
  });
});

test('a record that was read is 304 until it changes, and one just made has the ETag of its read', async () => {
  const org = '/v3/organizations/default';
  const made = await api.call('POST', `${org}/groups`, { body: { name: 'Read again' } });
  const url = `${org}/groups/${String(made.json['id'])}`;
  const etag = made.headers.get('etag') ?? '';
  const read = (tags: string) => api.call('GET', url, { headers: { 'if-none-match': tags } });
  for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { status, text, headers } = await read(tags);
    expect([tags, status, text, headers.get('etag')]).toEqual([tags, 304, '', etag]);
  }
  expect((await read('"x"')).status).toBe(200);
  await api.call('PATCH', url, { body: { description: 'Changed' } });
  const { status, headers } = await read(etag);
  expect([status, headers.get('etag') === etag]).toEqual([200, false]);
});

test('an organization that was just made has the ETag of its read, and with another one it is not deleted', async () => {
  const made = await api.call('POST', '/v3/organizations', { body: { name: 'Just made' } });
  const [name, etag] = [String(made.json['slug']), made.headers.get('etag') ?? ''];
  const url = `/v3/organizations/${name}`;
  const as = { key: String(made.json['key']) };
  expect((await api.call('GET', url, as)).headers.get('etag')).toBe(etag);
  const end = (ifMatch: string) =>
    api.call('DELETE', `${url}?confirm=${name}`, { ...as, headers: { 'if-match': ifMatch } });
  expect((await end('"0000"')).json['error']).toBe('revision_conflict');
  const statuses = (await Promise.all([end(etag), end(etag)])).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, expect.toBeOneOf([409, 412])]);
});

test('what a record shows of others changes its ETag too', async () => {
  const org = '/v3/organizations/default';
  const { json, headers } = await api.call('POST', `${org}/groups`, { body: { name: 'Counted' } });
  const url = `${org}/groups/${String(json['id'])}`;
  const user = String((await api.call('GET', '/v3/self')).json['principal_id']);
  await api.call('POST', `${url}/members`, { body: { user_ids: [user] } });
  const ifMatch = { 'if-match': headers.get('etag') ?? '' };
  expect((await api.call('PATCH', url, { body: { description: 'x' }, headers: ifMatch })).status).toBe(412);
});

test('a malformed If-Match is told what to send', async () => {
  const org = '/v3/organizations/default';
  const { json } = await api.call('POST', `${org}/groups`, { body: { name: 'Told' } });
  const headers = { 'if-match': 'junk' };
  const refused = await api.call('PATCH', `${org}/groups/${String(json['id'])}`, { body: { name: 'x' }, headers });
  const message = 'must be an ETag in its quotation marks, such as "3", several separated by commas, or *';
  expect(refused.json).toMatchObject({
    error: 'invalid_request',
    message: `header.if-match ${message}.`,
    details: { issues: [{ in: 'header', path: ['if-match'], message }] },
  });
});
