import type { Actor } from '../../caller.ts';
import type { Scope } from '../../lib/scopes.ts';
import type { OutboxEvent } from '../../outbox/event.ts';

/** Events that only their actor may see: they concern a person, not the organization. */
const personal = 'actor';

/** The scope that reads the resource of an event, by the first part of its type. */
const readers: Readonly<Record<string, Scope | typeof personal>> = {
  agent: 'org:read',
  app: 'org:read',
  approval: 'sessions:read',
  attachment: 'attachments:read',
  automation: 'sessions:read',
  browser_session: 'run',
  budget: 'analytics:read',
  change_request: 'repos:read',
  commit_status: 'repos:read',
  delivery: 'repos:read',
  finding: 'reviews:read',
  follow_policy: 'repos:read',
  git_app: 'repos:read',
  git_connection: 'repos:read',
  group: 'org:read',
  guardrail: 'guardrails:read',
  guardrails: 'guardrails:read',
  hook: 'sessions:read',
  invite: 'org:read',
  ip_access_list: 'org:read',
  key: 'org:read',
  knowledge: 'knowledge:read',
  knowledge_note: 'knowledge:read',
  mcp_server: 'plugins:read',
  member: 'org:read',
  memory_generated: 'knowledge:read',
  memory_note: 'knowledge:read',
  organization: 'org:read',
  password: personal,
  preference: personal,
  repository: 'repos:read',
  request: 'org:read',
  review: 'reviews:read',
  review_policy: 'reviews:read',
  role: 'org:read',
  run: 'sessions:read',
  secret: 'secrets:read',
  service_user: 'org:read',
  session: 'sessions:read',
  settings: 'org:read',
  sign_in: personal,
  skill: 'plugins:read',
  suggestion: 'knowledge:read',
  tool_token: personal,
  view: 'sessions:read',
  violation: 'guardrails:read',
  webhook: 'org:read',
};

/** Resources that can belong to one principal, whose events name it as `owner`. */
const ownable: ReadonlySet<string> = new Set(['knowledge_note', 'secret']);

type Seen = Pick<OutboxEvent, 'type' | 'actor' | 'data'>;

/** Returns true if it is declared who may see events of a type. Nobody sees any other. */
export function isVisible(type: string): boolean {
  return Object.hasOwn(readers, kindOf(type));
}

/** Returns true if a principal with these scopes may see an event. */
export function maySee({ scopes, principal }: Pick<Actor, 'scopes' | 'principal'>, event: Seen): boolean {
  const owner = ownerOf(event);
  if (owner === undefined || (owner !== '' && owner !== `${principal.type}:${principal.id}`)) return false;
  const scope = readers[kindOf(event.type)];
  if (scope === personal) return event.actor.type === principal.type && event.actor.id === principal.id;
  return scope !== undefined && scopes.has(scope);
}

/** Returns true if an organization's receiver with these scopes may get an event: never one that belongs to a person. */
export function mayReceive(scopes: ReadonlySet<string>, event: Seen): boolean {
  const scope = readers[kindOf(event.type)];
  return ownerOf(event) === '' && scope !== undefined && scope !== personal && scopes.has(scope);
}

/** Returns what an event shows of its data: the owner of a private resource only decides who sees it. */
export function summaryOf(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { owner: _, ...summary } = data;
  return summary;
}

/** Returns the owner, `''` for a shared resource; undefined if the event should name it but does not. */
function ownerOf({ type, data }: Pick<Seen, 'type' | 'data'>): string | undefined {
  const { owner } = data;
  if (typeof owner === 'string') return owner;
  return ownable.has(kindOf(type)) ? undefined : '';
}

function kindOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** Returns true if a filter selects a type: `session.created`, `session.*`; an empty filter selects every type. */
export function selects(filter: readonly string[], type: string): boolean {
  return filter.length === 0 || filter.includes(type) || filter.includes(`${kindOf(type)}.*`);
}

/** Returns the first entry of a filter that selects none of the types. */
export function unknownSelector(filter: readonly string[], types: readonly string[]): string | undefined {
  return filter.find((entry) => !types.some((type) => selects([entry], type)));
}
