import { contract } from './contract-table.ts';

/** The resource groups of the contract. */
const groups = [
  'Account',
  'Sessions',
  'Secrets',
  'Knowledge',
  'Memory',
  'Skills',
  'Automations',
  'Change Request Reviews',
  'Repositories',
  'Git Connections',
  'Consumption',
  'Metrics',
  'Audit Logs',
  'Organizations',
  'Members',
  'Service Users',
  'Roles',
  'Attachments',
  'Guardrails',
  'MCP Servers',
  'Settings',
  'Blueprints',
  'IP Access List',
  'Groups',
] as const;

/** Operations of the contract that are not served yet, with their group. A line goes once the operation is served. */
const missing: readonly (readonly [group: string, operation: string, purpose: string])[] = [];

interface Served {
  group: string;
  /** `METHOD /path/{}`, as in the contract table. */
  name: string;
  /** The path with the names of its parameters. */
  path: string;
  summary: string;
}

/** Returns what an OpenAPI document serves. */
function servedBy(document: object): Served[] {
  const paths: Record<string, Record<string, { tags: string[]; summary: string }>> = Object(document)['paths'];
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, summary }]) => {
      const verb = method.toUpperCase();
      const name = `${verb} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
      return { group: tags[0] ?? '', name, path: `${verb} ${path}`, summary };
    }),
  );
}

/** Lists the operations of the contract that are neither served nor known to be missing, and those that are both. */
export function contradictions(document: object): string[] {
  const served = new Set(servedBy(document).map(({ name }) => name));
  const known = new Set(missing.map(([, operation]) => operation));
  return [...contract.keys(), ...known].filter((name) => served.has(name) === known.has(name));
}

/** Returns the page about the operations of a document, in Markdown. */
export function operationsPage(document: object): string {
  const served = servedBy(document);
  const ofContract = new Set<string>(groups);
  const others = [...new Set(served.map(({ group }) => group))].filter((group) => !ofContract.has(group)).toSorted();
  const isServed = (group: string): boolean => served.some((one) => one.group === group);
  const missingIn = (group: string) => missing.filter(([of]) => of === group);
  const rowOf = (group: string): string => {
    const there = served.filter((one) => one.group === group).length;
    return `| [${group}](#${anchorOf(group)}) | ${there + missingIn(group).length} | ${there} |`;
  };
  return `${[
    '# Operations of the API',
    '`npm run openapi` derives this page from the OpenAPI document and the table of the contract in `server/test/matrix`, and `npm run check`\nfails if it is outdated. `/docs` on a server describes each operation.',
    `**Groups of the contract that are served: ${groups.filter(isServed).length} of ${groups.length}. Operations: ${served.length} of ${served.length + missing.length}.**`,
    ['| group | operations | served |', '|---|---|---|', ...[...groups, ...others].map(rowOf)].join('\n'),
    `The last ${others.length} are groups beside those of the contract.`,
    ...[...groups, ...others].map((group) => section(group, served, missingIn(group))),
  ].join('\n\n')}\n`;
}

function section(group: string, served: readonly Served[], notServed: typeof missing): string {
  const rows = served
    .filter((one) => one.group === group)
    .toSorted((a, b) => pathFirst(a).localeCompare(pathFirst(b), 'en'))
    .map(({ name, path, summary }) => `| \`${short(path)}\` | ${contract.get(name)?.scope ?? ''} | ${summary} |`);
  const absent = notServed.map(([, operation, summary]) => `| \`${short(operation)}\` | not served yet | ${summary} |`);
  return [`## ${group}`, ['| operation | scope | |', '|---|---|---|', ...rows, ...absent].join('\n')].join('\n\n');
}

function pathFirst({ name }: Served): string {
  return name.split(' ').toReversed().join(' ');
}

function short(operation: string): string {
  return operation.replace(/\/v3\/organizations\/\{\w*\}\//, '…/');
}

function anchorOf(group: string): string {
  return group.toLowerCase().replaceAll(' ', '-');
}
