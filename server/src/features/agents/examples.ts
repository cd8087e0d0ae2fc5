import type { Examples } from '../../http/examples.ts';
import type { CreateAgent, UpdateAgent } from './schemas.ts';

export const createAgent: Examples<typeof CreateAgent> = {
  'The built-in agent with instructions of its own': {
    name: 'Careful',
    description: 'Small changes, each with a test.',
    system_prompt: 'Change as little as possible. Add a test for every change of behaviour.',
    temperature: 0.2,
  },
  'A script, which needs no model': {
    name: 'Dependency update',
    runtime: 'script',
    runtime_config: { steps: [{ run: 'npm update' }, { run: 'npm test' }], summary: 'Updates the dependencies.' },
  },
};

export const updateAgent: Examples<typeof UpdateAgent> = {
  'Other instructions': { system_prompt: 'Change as little as possible. Explain every change in one sentence.' },
};
