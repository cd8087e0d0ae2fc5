import type { AgentDriver } from '../port.ts';
import { builtinCapabilities } from './capabilities.ts';

/** The tools of the built-in agent, in the order in which a model is told of them. */
export const builtinTools = ['shell', 'read', 'write', 'edit', 'search', 'plan', 'ask', 'set_check'] as const;

/** The agent that comes with the platform. */
export const builtinDriver = {
  id: 'builtin',
  capabilities: builtinCapabilities,
  // It has no settings, so nothing of it is looked at.
  problemsOfConfig: () => [],
  startedAgents: () => [],
  tools: () => builtinTools.map((name) => ({ name, config: {} })),
  list: ({ version, modelProblem }) => [
    { id: 'builtin', name: 'Built-in agent', installed: true, version, problem: modelProblem },
  ],
  createRunner: async () => (await import('./builtin-agent.ts')).createBuiltinRunner(),
} as const satisfies AgentDriver;
