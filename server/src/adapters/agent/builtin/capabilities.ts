import type { AgentCapabilities } from '../port.ts';

export const builtinCapabilities: AgentCapabilities = {
  conversational: true,
  modes: ['build', 'plan', 'ask'],
  models: 'worker',
  takesTools: true,
  readsSkillDirectories: false,
  declaresWork: false,
  summaryIsMemory: true,
};
