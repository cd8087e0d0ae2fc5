import { Type, type Static } from 'typebox';
import { Body, defaults, explain, Id, Name, OneOf, Principal, record, Timestamp } from '../../http/schema.ts';
import type { Scope } from '../../lib/scopes.ts';

/** The lists that can have views, with the scope that reads each. */
export const scopeOfList = {
  sessions: 'sessions:read',
  change_requests: 'repos:read',
  repositories: 'repos:read',
  automations: 'sessions:read',
  automation_runs: 'sessions:read',
  reviews: 'reviews:read',
  knowledge_notes: 'knowledge:read',
  skills: 'plugins:read',
  mcp_servers: 'plugins:read',
  secrets: 'secrets:read',
  guardrail_violations: 'guardrails:read',
  members: 'org:read',
  audit_logs: 'org:read',
} as const satisfies Record<string, Scope>;
export type ViewedList = keyof typeof scopeOfList;

/** The names of the lists. */
export const viewedLists: readonly ViewedList[] = Object.keys(scopeOfList).filter((name) => isViewedList(name));

function isViewedList(name: string): name is ViewedList {
  return Object.hasOwn(scopeOfList, name);
}

const list = OneOf(viewedLists);
const Query = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { type: 'string', minLength: 1, maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 2_000 },
});

export const View = record(
  'View',
  Type.Object({ id: Id, list, name: Type.String(), query: Query, created_by: Principal, created_at: Timestamp }),
);

export const CreateView = Body({ list, name: Name(100), query: Type.Optional(Query) });
export type CreateView = Static<typeof CreateView>;

explain('View', {
  list: 'The list that it filters.',
  name: 'Unique among the views of the list, case-insensitively.',
  query: 'Filters of the list, by parameter; the console also keeps sort order and layout here.',
  created_by: 'Who created it.',
});
explain('CreateViewRequest', {
  list: 'The list that it filters.',
  query: 'Filters of the list, by parameter: at most 50, each of at most 2,000 characters. They are not checked.',
});
defaults('CreateViewRequest', { query: {} });
