import { compileErrors, validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultValues, explanations } from '../src/http/schema.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { contract } from './matrix/contract-table.ts';
import { madeIn } from './support/fixture.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';
import { bodies, closedValidators, fieldsOf, optionalFieldsOf, responseOf } from './support/openapi.ts';

let api: TestApi;
let mine: Inventory;
let document: Record<string, unknown>;
let strictly: ReturnType<typeof closedValidators>;
beforeAll(async () => {
  api = await startTestApi({ ANTHROPIC_API_KEY: 'k' });
  mine = await stock(api, 'default', api.adminKey);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
  strictly = closedValidators(document);
});
afterAll(() => api.close());

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce((inner: unknown, key) => Object(inner)[key], value);
}

/** The last sentence of every description. */
const whoMayCall =
  /(Needs the scope `[\w:]+`\.|Needs no key\.|Accepts any valid key\.)(?: Users only: with a personal key, or signed in\.)?$/;

function isSentence(text: unknown): boolean {
  return typeof text === 'string' && /\S$/.test(text);
}

function silentFields(name: string, schema: unknown): string[] {
  return fieldsOf(schema).flatMap(([path, field]) => (isSentence(at(field, 'description')) ? [] : [`${name}.${path}`]));
}

describe('the document', () => {
  test('is valid for two validators that know nothing of each other', async () => {
    const parsed = JSON.parse(JSON.stringify(document));
    const one = await validate(parsed);
    expect(one.valid ? '' : compileErrors(one)).toBe('');
    const other = await new Validator().validate(structuredClone(document));
    expect(other.errors ?? []).toEqual([]);
    expect([one.valid, other.valid]).toEqual([true, true]);
  });

  test('is the same in YAML', async () => {
    expect(parse((await api.call('GET', '/openapi.yaml', { key: '' })).text)).toEqual(document);
  });

  test('gives generated clients names: for every body, every list and every kind of event', () => {
    const names = Object.keys(Object(at(document, 'components', 'schemas')));
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
    for (const [path, methods] of Object.entries(Object(document['paths'])))
      for (const [method, operation] of Object.entries(Object(methods))) {
        const body = at(operation, 'requestBody', 'content', 'application/json', 'schema');
        if (body !== undefined) expect([path, method, Object.keys(Object(body))]).toEqual([path, method, ['$ref']]);
        const answers = Object.values(Object(at(operation, 'responses'))).map((response) =>
          at(responseOf(document, response), 'content', 'application/json', 'schema'),
        );
        for (const schema of answers.filter((found) => found !== undefined))
          expect([path, method, Object.keys(Object(schema))]).toEqual([path, method, ['$ref']]);
      }
    const event = at(document, 'components', 'schemas', 'SessionEvent');
    const mapping = Object.values(Object(at(event, 'discriminator', 'mapping')));
    expect(mapping).toEqual(Object(event).oneOf.map(({ $ref }: { $ref: string }) => $ref));
    expect(mapping).toHaveLength(22);
  });

  test('says of every operation who may call it, as the contract does, in words and for programs', () => {
    for (const [path, methods] of Object.entries(Object(document['paths'])))
      for (const [method, operation] of Object.entries(Object(methods))) {
        const name = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
        const { scope, persons } = contract.get(name) ?? {};
        const { 'x-scope': stated, 'x-persons-only': only, security, description } = Object(operation);
        expect([name, stated, only === true]).toEqual([name, scope, persons]);
        expect([name, security]).toEqual([name, scope === 'none' ? [] : undefined]);
        const [, inWords] = whoMayCall.exec(description) ?? [];
        const words = { none: 'Needs no key.', any: 'Accepts any valid key.' };
        expect([name, inWords]).toEqual([name, Object(words)[stated] ?? `Needs the scope \`${scope}\`.`]);
        expect([name, / Users only: [^.]+\.$/.test(description)]).toEqual([name, persons === true]);
      }
  });

  test('says what every operation does, beyond who may call it, and what every parameter and field means', () => {
    const silent: string[] = [];
    for (const [path, methods] of Object.entries(Object(document['paths'])))
      for (const [method, operation] of Object.entries(Object(methods))) {
        const { description, parameters = [], requestBody } = Object(operation);
        if (description.replace(whoMayCall, '').trim() === '') silent.push(`${method} ${path}`);
        for (const { name, description: meaning, schema } of parameters)
          if (!isSentence(meaning ?? at(schema, 'description'))) silent.push(`${method} ${path}: ${name}`);
        for (const { schema } of Object.values<{ schema: unknown }>(Object(at(requestBody, 'content'))))
          silent.push(...silentFields(`${method} ${path}`, schema));
      }
    for (const [name, schema] of Object.entries(Object(at(document, 'components', 'schemas'))))
      silent.push(...silentFields(name, schema));
    expect(silent).toEqual([]);
  });

  test('says of every field that a request may omit what that means', () => {
    const silent: string[] = [];
    for (const [name, schema] of bodies(document))
      for (const [path, field] of optionalFieldsOf(document, schema))
        if (!/default|omit|absent|unless given|exactly one of|when not set|in this version/i.test(field))
          silent.push(`${name}.${path}: ${field}`);
    expect(silent).toEqual([]);
  });

  test('explains no field that is not there, or says itself what it means', () => {
    const schemas = Object(at(document, 'components', 'schemas'));
    for (const [name, meanings] of explanations) {
      const said = Object.fromEntries(fieldsOf(schemas[name]).map(([path, field]) => [path, at(field, 'description')]));
      expect([name, said]).toEqual([name, expect.objectContaining(meanings)]);
    }
    for (const [name, values] of defaultValues) {
      const shown = fieldsOf(schemas[name]).map(([path, field]) => [path, at(field, 'default')]);
      expect([name, Object.fromEntries(shown)]).toEqual([name, expect.objectContaining(values)]);
    }
  });

  test('names the headers that come with answers', () => {
    const { responses } = Object(document['components']);
    expect(Object.keys(responses.RateLimited.headers)).toEqual(
      expect.arrayContaining(['x-request-id', 'ratelimit-limit', 'retry-after']),
    );
    const created = at(document, 'paths', '/v3/organizations/{orgId}/sessions', 'post', 'responses', '201', 'headers');
    expect(Object.keys(Object(created))).toContain('idempotent-replayed');
  });

  test('describes every tag that is used, and no other', () => {
    const used = Object.values(Object(document['paths'])).flatMap((methods) =>
      Object.values(Object(methods)).flatMap((operation) => Object(operation).tags),
    );
    const tags: { name: string; description: string }[] = Object(document).tags;
    expect(new Set(tags.map(({ name }) => name))).toEqual(new Set(used));
    for (const { description } of tags) expect(description).toMatch(/\.$/);
  });
});

/** Required query parameters of reads. */
const queries = ofAll(({ queries: some }) => some);

/** Lists of a commit; the repositories here have none. */
const ofCommits = new Set(['listCommitStatuses']);

/** Operations that call a worker; none runs here. */
const ofWorkers = new Set(['listMcpServerTools']);

test('every read answers exactly what the document says: every key, and no other', async () => {
  let looked = 0;
  for (const [path, methods] of Object.entries(Object(document['paths']))) {
    const operation = Object(methods).get;
    const schema = at(operation, 'responses', '200', 'content', 'application/json', 'schema');
    if (schema === undefined || ofWorkers.has(operation.operationId)) continue;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
    const answer = await api.call('GET', `${url}${queries[operation.operationId]?.(mine) ?? ''}`);
    expect([operation.operationId, answer.status]).toEqual([operation.operationId, 200]);
    const { items } = answer.json;
    if (Array.isArray(items) && !ofCommits.has(operation.operationId))
      expect([operation.operationId, items.length > 0]).toEqual([operation.operationId, true]);
    expect([operation.operationId, strictly(Object(schema).$ref)(answer.json)]).toEqual([operation.operationId, '']);
    looked += 1;
  }
  expect(looked).toBeGreaterThan(25);
});

test('refusals answer what the document says', async () => {
  const refused = strictly('#/components/schemas/Error');
  for (const path of ['/v3/organizations/default/sessions/ses_none', '/agents/agt_none', '/v3/nothing', '/nothing'])
    expect(refused((await api.call('GET', path)).json)).toBe('');
  const invalid = strictly('#/components/schemas/ValidationError');
  expect(invalid((await api.call('POST', '/agents', { body: { temperature: 9 } })).json)).toBe('');
});

test.each<[string, string, object]>([
  ['PATCH', '/knowledge/notes/note_none', { name: ' ' }],
  ['PATCH', '/knowledge/notes/note_none', { repo_filter: 'acme' }],
  ['PATCH', '/knowledge/notes/note_none', { body: 'é'.repeat(51_201) }],
  ['PUT', '/knowledge/notes/note_none', { name: 'x', trigger: ' ', body: 'x' }],
  ['POST', '/knowledge/suggestions/sug_none/accept', { body: ' ' }],
  ['PATCH', '/memory/notes/mem_none', { content: ' ' }],
  ['PUT', '/skills/skl_none/files/.git%2Fconfig', { content: '' }],
  ['PATCH', '/mcp-servers/mcp_none', { headers: { authorization: 'Bearer abcdefgh' } }],
  ['PUT', '/mcp-servers/mcp_none/secrets/TOKEN', { value: 'ü'.repeat(8_193) }],
])('%s %s says what is wrong with a body before it looks for what it is for', async (method, path, body) => {
  const { status } = await api.call(method, `/v3/organizations/default${path}`, { body });
  expect(status).toBe(400);
});

test('what the document calls required is, and what it does not is not', async () => {
  const minimal: Record<string, [string, object]> = {
    CreateSessionRequest: ['/v3/organizations/default/sessions', { prompt: 'x' }],
    CreateServiceUserRequest: ['/v3/organizations/default/service-users', { name: 'x' }],
    AddIpAccessEntryRequest: ['/v3/organizations/default/ip-access-list/entries', { cidr: '203.0.113.0/24' }],
    CreatePersonalKeyRequest: ['/v3/self/keys', { name: 'x', scopes: ['run'] }],
    CreateOrganizationRequest: ['/v3/organizations', { name: 'x y' }],
    CreateRepositoryRequest: ['/v3/organizations/default/repositories', { provider: 'local', repo: 'least/said' }],
    CreateSkillRequest: [
      '/v3/organizations/default/skills',
      { files: [{ path: 'SKILL.md', content: '---\nname: least\ndescription: Little.\n---\n' }] },
    ],
    CreateAgentRequest: ['/agents', { name: 'x' }],
    CreateKnowledgeNoteRequest: ['/v3/organizations/default/knowledge/notes', { name: 'x', trigger: 'x', body: 'x' }],
    CreateAppRequest: ['/apps', { name: 'x' }],
    CreateAppKeyRequest: [`/apps/${madeIn(mine, 'apps/{app_id}')}/keys`, { name: 'x', scopes: ['run'] }],
    CreateMemoryNoteRequest: [
      '/v3/organizations/default/memory/notes',
      { repo: 'acme/stock', provider: 'local', content: 'x' },
    ],
    SendSessionMessageRequest: [
      `/v3/organizations/default/sessions/${madeIn(mine, 'sessions/{id}')}/messages`,
      { content: 'x' },
    ],
  };
  for (const [name, [path, body]] of Object.entries(minimal)) {
    const required = Object(at(document, 'components', 'schemas', name)).required;
    expect([name, required.sort()]).toEqual([name, Object.keys(body).sort()]);
    expect([name, (await api.call('POST', path, { body })).status < 300]).toEqual([name, true]);
    for (const key of Object.keys(body)) {
      const less = Object.fromEntries(Object.entries(body).filter(([other]) => other !== key));
      expect([name, (await api.call('POST', path, { body: less })).status]).toEqual([
        name,
        path.startsWith('/v3') ? 400 : 422,
      ]);
    }
  }
});
