import type { AgentCapabilities } from '../port.ts';

export const scriptCapabilities: AgentCapabilities = {
  conversational: false,
  modes: ['build'],
  models: 'none',
  takesTools: false,
  readsSkillDirectories: true,
  declaresWork: true,
  summaryIsMemory: false,
};
