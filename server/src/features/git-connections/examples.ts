import type { Examples } from '../../http/examples.ts';
import type { CreateGitConnection, UpdateGitConnection } from './schemas.ts';

export const createGitConnection: Examples<typeof CreateGitConnection> = {
  'The built-in git host': { provider: 'local', name: 'Built-in' },
};

export const updateGitConnection: Examples<typeof UpdateGitConnection> = {
  'Another name': { name: 'Our repositories' },
};
