import type { Examples } from '../../http/examples.ts';
import type { CreateMemoryNote, UpdateMemoryNote } from './schemas.ts';

export const createMemoryNote: Examples<typeof CreateMemoryNote> = {
  'A note for sessions on a repository': {
    repo: 'acme/shop',
    provider: 'local',
    title: 'Tests',
    content: 'Run `npm test -- <file>` for one file; all of them take four minutes.',
  },
};

export const updateMemoryNote: Examples<typeof UpdateMemoryNote> = {
  'Change the content': { content: 'Run `npm test -- <file>` for one file; all of them take a minute.' },
};
