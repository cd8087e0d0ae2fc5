import type { Examples } from '../../http/examples.ts';
import type { DiffBlueprints } from './schemas.ts';

const id = 'bp_06ghnzgn8ss1nf9gyabx13f8dr';

export const diffBlueprints: Examples<typeof DiffBlueprints> = {
  'Two versions of one agent': { from: { id, version: 1 }, to: { id, version: 2 } },
  'An agent and a manifest that you keep': {
    from: { id },
    to: {
      manifest: {
        model: '',
        system_prompt: 'Change as little as possible.',
        max_tokens: null,
        temperature: 0.2,
        tools: [],
        mcp_servers: [],
        skills: [],
        knowledge: [],
        sandbox: {},
      },
    },
  },
};
