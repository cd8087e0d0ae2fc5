import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';
import { fieldsOf } from './support/openapi.ts';

let api: TestApi;
let mine: Inventory;
let document: Record<string, unknown>;
beforeAll(async () => {
  api = await startTestApi();
  mine = await stock(api, 'default', api.adminKey);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
});
afterAll(() => api.close());

const bodies = ofAll((fixture) => fixture.bodies);
const changes = ofAll((fixture) => fixture.changes);

interface Operation {
  id: string;
  method: string;
  path: string;
  /** Of omitted fields, by path. */
  defaults: Map<string, unknown>;
  /** Valid bodies. */
  candidates: unknown[];
}

/** Returns the operations whose JSON body has fields with a default. */
function operations(): Operation[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).flatMap(([method, operation]) => {
      const { operationId: id, requestBody } = Object(operation);
      const { schema, examples = {} } = Object(requestBody?.content['application/json']);
      const name = String(schema?.$ref).split('/').at(-1) ?? '';
      const fields = fieldsOf(Object(Object(document['components']).schemas)[name]);
      const defaults = new Map(
        fields.flatMap(([at, field]) => ('default' in field ? [[at, field.default] satisfies [string, unknown]] : [])),
      );
      const given = Object.values(Object(examples)).map((example) => Object(example).value);
      const candidates = [changes[id], bodies[id], ...given].filter((body) => typeof body === 'object');
      return defaults.size === 0 ? [] : [{ id, method: method.toUpperCase(), path, defaults, candidates }];
    }),
  );
}

/** Returns a value without the fields at these paths. */
function without(value: unknown, paths: ReadonlySet<string>, at = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, paths, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      paths.has(`${at}${name}`) ? [] : [[name, without(inner, paths, `${at}${name}.`)]],
    ),
  );
}

/** Returns the values at a path: several below an array. */
function valuesAt(value: unknown, [name, ...rest]: string[]): unknown[] {
  if (name === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest]));
  return typeof value === 'object' && value !== null && name in value ? valuesAt(Reflect.get(value, name), rest) : [];
}

/** Returns the values at a path in a record, or in the records of a response with one or several. */
function shown(response: Record<string, unknown>, path: string): unknown[] {
  const { item, items = [] } = response;
  return [response, item, items].flatMap((value) => valuesAt(value, path.split('.')));
}

/** Fields that no response shows; the tests of their features check what omitting them does. */
const hidden = [
  'evaluateGuardrails repo',
  'evaluateGuardrails origin',
  'evaluateGuardrails budget',
  'evaluateGuardrails commands',
  'evaluateGuardrails branch',
  'evaluateGuardrails files',
  'evaluateGuardrails files.additions',
  'evaluateGuardrails files.deletions',
  'evaluateGuardrails files.content',
  'evaluateGuardrails opens_change_request',
  'createSession require_plan_approval',
  'createSession knowledge_ids',
  'createSession secret_ids',
  'createSession skill_ids',
  'createSession mcp_server_ids',
  'createSession session_secrets',
  'createSession session_secrets.kind',
  'createSession session_secrets.exposure',
  'createSession session_secrets.allowed_hosts',
  'createSession attachment_ids',
  'createSession structured_output_required',
  'createSkill files.encoding',
  'mergeChangeRequest method',
  'putSkillFile encoding',
  'updateSkill files.encoding',
  'validateSkill files.encoding',
  'validateSkill files.executable',
  'replaceIpAccessList force',
  'createToolToken expires_in_days',
  'claimAutomationRun automation_ids',
  'claimAutomationRun wait_seconds',
  'reportAutomationRun error_class',
  'reportAutomationRun error_message',
  'reportAutomationRun summary',
  'rotateServiceUserKey overlap_seconds',
  'rotatePersonalKey overlap_seconds',
  'rotateWebhookSecret overlap_seconds',
  'rotateAutomationSecret overlap_seconds',
];
/** Operations that need a worker or a git host. */
const unreachable = [
  'readBrowserContent',
  'takeBrowserScreenshot',
  'typeInBrowser',
  'importSkill',
  'openSessionChangeRequest',
  'rotateGitAppWebhookSecret',
  'rotateGitConnectionWebhookSecret',
  'setCommitStatus',
];

test('a field that was omitted has the default that the document names, which can be sent too', async () => {
  const wrong: unknown[] = [];
  const seen = new Set<string>();
  const reached = new Set<string>();
  const all = operations();
  for (const { id, method, path, defaults, candidates } of all)
    for (const [at, candidate] of candidates.entries()) {
      const least = Object(without(candidate, new Set(defaults.keys())));
      const body = 'name' in least ? { ...least, name: `By default ${at}` } : least;
      const url = path
        .replace('/files/{path}', '/files/other.md')
        .replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
      const { status, json } = await api.call(method, url, { body });
      if (status >= 300) continue;
      reached.add(id);
      for (const [field, value] of defaults) {
        for (const found of shown(json, field)) {
          seen.add(`${id} ${field}`);
          if (JSON.stringify(found) !== JSON.stringify(value)) wrong.push({ id, field, value, found });
        }
        if (field.includes('.')) continue;
        const explicit = await api.call(method, url, { body: { ...body, [field]: value } });
        // The same again may be a conflict.
        if ([400, 422].includes(explicit.status)) wrong.push({ id, field, value, refused: explicit.text });
      }
    }
  expect(wrong).toEqual([]);
  const ids = all.map(({ id }) => id);
  expect(ids.filter((id) => !reached.has(id)).toSorted()).toEqual(unreachable.toSorted());
  const named = all.flatMap(({ id, defaults }) =>
    reached.has(id) ? [...defaults.keys()].map((field) => `${id} ${field}`) : [],
  );
  expect(named.filter((field) => !seen.has(field)).toSorted()).toEqual(hidden.toSorted());
});
