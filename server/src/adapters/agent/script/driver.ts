import { Value } from 'typebox/value';
import { pathRule } from '../../../lib/agent-config.ts';
import { schemaProblems } from '../../../lib/schema-problems.ts';
import type { AgentDriver } from '../port.ts';
import { scriptCapabilities } from './capabilities.ts';
import { ScriptConfig } from './config.ts';

/** Runs the shell commands of its configuration. */
export const scriptDriver = {
  id: 'script',
  capabilities: scriptCapabilities,
  problemsOfConfig: (config) => schemaProblems(ScriptConfig, config, pathRule),
  declaredWork: (config) => (Value.Check(ScriptConfig, config) ? config : undefined),
  // A step may start any of them.
  startedAgents: () => 'any',
  tools: (config) => [{ name: 'script', config }],
  list: ({ version }) => [{ id: 'script', name: 'Script', installed: true, version, problem: '' }],
  createRunner: async () => (await import('./script-agent.ts')).createScriptRunner(),
} as const satisfies AgentDriver;
