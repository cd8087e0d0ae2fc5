import type { Examples } from '../../http/examples.ts';
import type { CreateApp } from './schemas.ts';

export const createApp: Examples<typeof CreateApp> = {
  'An app': { name: 'Triage', description: 'Starts a session for every new bug report.' },
};
