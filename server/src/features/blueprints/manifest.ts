import { createHash } from 'node:crypto';
import { builtinTools, type Runtime } from '../../lib/agent-config.ts';
import type { Setting } from '../settings/service.ts';
import { redact, type Redaction } from './redact.ts';

/** A version of an agent, as its blueprint is made from. */
export interface AgentVersion {
  id: string;
  name: string;
  version: number;
  created_at: Date;
  system_prompt: string;
  model: string;
  max_tokens: number | null;
  temperature: number | null;
  runtime: Runtime;
  runtime_config: Record<string, unknown>;
}

/** The blueprint of a version: the same input gives the same text and digest, wherever and whenever it is made. */
export function blueprintOf(agent: AgentVersion, sandbox: Setting<'sandbox'>) {
  const redactions: Redaction[] = [];
  const { model, system_prompt, max_tokens, temperature } = agent;
  const manifest = {
    model: redact(model, '/model', redactions),
    system_prompt: redact(system_prompt, '/system_prompt', redactions),
    max_tokens,
    temperature,
    tools: redact(ordered(toolsOf(agent)), '/tools', redactions),
    mcp_servers: [],
    skills: [],
    knowledge: [],
    sandbox: redact(ordered(sandbox), '/sandbox', redactions),
  };
  return {
    id: blueprintId(agent.id),
    agent_id: agent.id,
    name: agent.name,
    version: agent.version,
    digest: digestOf(manifest),
    manifest,
    redactions,
    created_at: agent.created_at,
  };
}

/** SHA-256 of a manifest's JSON, whose keys have one order. */
export function digestOf(manifest: object): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(manifest)).digest('hex')}`;
}

/** One per agent, for as long as there is that agent. */
function blueprintId(agentId: string): string {
  return agentId.replace(/^agt_/, 'bp_');
}

/** The agent of a blueprint; `''` for what is no blueprint's id. */
export function agentIdOf(id: string): string {
  return id.startsWith('bp_') ? id.replace(/^bp_/, 'agt_') : '';
}

/** A JSON value with the keys of all its objects in one order. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}

function toolsOf({ runtime, runtime_config }: AgentVersion) {
  switch (runtime) {
    case 'builtin':
      return builtinTools.map((name) => ({ name, config: {} }));
    case 'script':
      return [{ name: 'script', config: runtime_config }];
    case 'acp':
      return [{ name: 'acp', config: runtime_config }];
  }
}
