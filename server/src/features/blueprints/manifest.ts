import { agentDriver, type Runtime } from '../../adapters/agent/drivers.ts';
import { createHash } from 'node:crypto';
import type { Setting } from '../settings/service.ts';
import { redact, type Redaction } from './redact.ts';

/** A version of an agent, the source of its blueprint. */
export interface AgentVersion {
  id: string;
  name: string;
  description: string;
  version: number;
  created_at: Date;
  system_prompt: string;
  model: string;
  max_tokens: number | null;
  temperature: number | null;
  runtime: Runtime;
  runtime_config: Record<string, unknown>;
}

/** The current content that all agents of an organization share, regardless of their version. */
export interface Shared {
  sandbox: Setting<'sandbox'>;
  servers: readonly Record<string, unknown>[];
  skills: readonly object[];
  notes: readonly object[];
}

/** Creates the blueprint of a version: the same input always gives the same text and digest. */
export function blueprintOf(agent: AgentVersion, shared: Shared) {
  const redactions: Redaction[] = [];
  const { model, system_prompt, max_tokens, temperature } = agent;
  const manifest = {
    model: redact(model, '/model', redactions),
    system_prompt: redact(system_prompt, '/system_prompt', redactions),
    max_tokens,
    temperature,
    tools: redact(ordered(agentDriver(agent.runtime).tools(agent.runtime_config)), '/tools', redactions),
    mcp_servers: listOf(shared.servers.map(withReferences), '/mcp_servers', redactions),
    skills: listOf(shared.skills, '/skills', redactions),
    knowledge: listOf(firstOf(shared.notes), '/knowledge', redactions),
    sandbox: redact(ordered(shared.sandbox), '/sandbox', redactions),
  };
  return {
    id: blueprintId(agent.id),
    agent_id: agent.id,
    name: agent.name,
    description: redact(agent.description, '/description', []),
    version: agent.version,
    digest: digestOf(manifest),
    manifest,
    redactions,
    created_at: agent.created_at,
  };
}

function listOf(things: readonly object[], path: string, redactions: Redaction[]): unknown[] {
  return things.map((thing, at) => redact(ordered(thing), `${path}/${at}`, redactions));
}

/** The maximum number of notes that are listed one by one. */
const maxListed = 1_000;

/** Combines the remaining notes in one entry, with a digest that changes when any of them does. */
function firstOf(notes: readonly object[]): readonly object[] {
  const rest = notes.slice(maxListed);
  return rest.length === 0 ? notes : [...notes.slice(0, maxListed), { omitted: rest.length, digest: digestOf(rest) }];
}

/** Converts `${NAME}` in a header or variable of a server to a reference to the secret. */
function withReferences(server: Record<string, unknown>): Record<string, unknown> {
  const named = ['env', 'headers'].filter((field) => field in server);
  return { ...server, ...Object.fromEntries(named.map((field) => [field, referring(server[field])])) };
}

function referring(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => JSON.stringify({ $secret: name }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, referring(inner)]));
}

/** Returns the SHA-256 of a manifest's JSON with ordered keys. */
export function digestOf(manifest: object): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(manifest)).digest('hex')}`;
}

/** Returns the id of an agent's only blueprint. */
function blueprintId(agentId: string): string {
  return agentId.replace(/^agt_/, 'bp_');
}

/** Returns the agent of a blueprint; `''` for any other id. */
export function agentIdOf(id: string): string {
  return id.startsWith('bp_') ? id.replace(/^bp_/, 'agt_') : '';
}

/** Returns a JSON value with the keys of all objects sorted. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}
