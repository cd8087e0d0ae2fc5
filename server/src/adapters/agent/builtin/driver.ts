import type { AgentDriver } from '../port.ts';
import { builtinCapabilities } from './capabilities.ts';

/** Tools of the built-in agent, in the order of the model's tool list. */
export const builtinTools = ['shell', 'read', 'write', 'edit', 'search', 'plan', 'ask', 'set_check'] as const;

/** The built-in agent. */
export const builtinDriver = {
  id: 'builtin',
  capabilities: builtinCapabilities,
  // The agent has no settings, so any configuration is valid.
  problemsOfConfig: () => [],
  startedAgents: () => [],
  tools: () => builtinTools.map((name) => ({ name, config: {} })),
  list: ({ version, modelProblem }) => [
    { id: 'builtin', name: 'Built-in agent', installed: true, version, problem: modelProblem },
  ],
  createRunner: async () => (await import('./builtin-agent.ts')).createBuiltinRunner(),
} as const satisfies AgentDriver;
