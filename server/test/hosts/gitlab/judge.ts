import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Exchange } from './server.ts';

/** Documented in prose only: https://docs.gitlab.com/api/users/, https://docs.gitlab.com/api/notes/ and …/discussions/ */
const undescribed =
  /^(?:GET \/users?|\w+ \/projects\/.+\/(?:notes(?:\/\{note_id\})?|discussions(?:\/\{discussion_id\})?))$/;
/** The document has another status of success than GitLab: https://docs.gitlab.com/api/commits/ */
const created = new Set(['POST /projects/{id}/statuses/{sha}']);
/** Documented for all lists: https://docs.gitlab.com/api/rest/#pagination */
const always = new Set(['per_page', 'page', 'pagination']);
/** Statuses of every route. */
const general = new Set([301, 400, 401, 403, 404, 405]);
/** The document describes the short form of these lists, which is for requests without a credential. */
const shortened = new Set(['GET /projects']);

type Node = Readonly<Record<string, unknown>>;

/** Compares exchanges with GitLab's OpenAPI document, version 2 or 3: its `doc/api/openapi/openapi_v3.yaml`. */
export async function judgeExchanges(file: string, exchanges: readonly Exchange[]): Promise<string[]> {
  const document = nodeOf(parse(await readFile(file, 'utf8')));
  const operations = operationsOf(document);
  const problems = exchanges.flatMap((exchange) => {
    const name = `${exchange.method} ${exchange.route}`;
    if (undescribed.test(name)) return [];
    const operation = operations.get(plain(name));
    if (operation === undefined) return [`${name} is not documented`];
    return judge(document, operation, exchange).map((problem) => `${name}: ${problem}`);
  });
  return [...new Set(problems)];
}

function judge(document: Node, operation: Node, { method, route, url, body, answer }: Exchange): string[] {
  const parameters = list(operation['parameters']).map((one) => resolved(document, one));
  const named = parameters.map((parameter) => String(parameter['name']));
  const bodies = [
    ...parameters.filter((parameter) => parameter['in'] === 'body').map((parameter) => parameter['schema']),
    schemaIn(nodeOf(operation['requestBody'])),
  ];
  const accepted = new Set([...named, ...bodies.flatMap((schema) => fieldsOf(document, schema)), ...always]);
  const given = [...new URL(url, 'http://host').searchParams.keys(), ...Object.keys(nodeOf(body))];
  const problems = given.filter((name) => !accepted.has(name)).map((name) => `no parameter ${name}`);
  const responses = nodeOf(operation['responses']);
  const status = created.has(`${method} ${route}`) && answer.status === 201 ? 200 : answer.status;
  const response = nodeOf(responses[String(status)]);
  if (Object.keys(response).length === 0 && !general.has(status)) problems.push(`no status ${answer.status}`);
  const known = new Set(fieldsOf(document, response['schema'] ?? schemaIn(response)));
  if (answer.status >= 300 || known.size === 0 || shortened.has(`${method} ${route}`)) return problems;
  const answers = Array.isArray(answer.body) ? answer.body : [answer.body];
  const unknown = answers.flatMap((one) => Object.keys(nodeOf(one))).filter((name) => !known.has(name));
  return [...problems, ...unknown.map((name) => `no field ${name} in the answer`)];
}

function operationsOf(document: Node): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const [path, methods] of Object.entries(nodeOf(document['paths'])))
    for (const [method, operation] of Object.entries(nodeOf(methods)))
      found.set(plain(`${method.toUpperCase()} ${path.replace(/^\/api\/v4/, '')}`), nodeOf(operation));
  return found;
}

/** Names of path parameters differ between versions. */
function plain(route: string): string {
  return route.replaceAll(/\{\w+\}/g, '{}');
}

/** The names of a schema's properties, or of its items' for a list. */
function fieldsOf(document: Node, given: unknown): string[] {
  const schema = resolved(document, given);
  if (schema['type'] === 'array') return fieldsOf(document, schema['items']);
  return [
    ...Object.keys(nodeOf(schema['properties'])),
    ...list(schema['allOf']).flatMap((one) => fieldsOf(document, one)),
  ];
}

function schemaIn(holder: Node): unknown {
  return nodeOf(nodeOf(holder['content'])['application/json'])['schema'];
}

function resolved(document: Node, given: unknown): Node {
  const node = nodeOf(given);
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  return reference
    .slice(2)
    .split('/')
    .reduce((at, name) => nodeOf(at[name]), document);
}

function list(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

function nodeOf(given: unknown): Node {
  return typeof given === 'object' && given !== null ? { ...given } : {};
}
