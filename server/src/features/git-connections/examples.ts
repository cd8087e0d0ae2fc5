import type { Examples } from '../../http/examples.ts';
import type { CreateGitConnection, RotateWebhookSecret, UpdateGitConnection } from './schemas.ts';

export const createGitConnection: Examples<typeof CreateGitConnection> = {
  'GitHub, by a token': { provider: 'github', host: 'github.example.com', token: 'github_pat_11ABCDEFG0example' },
  'A GitLab server of your own': {
    provider: 'gitlab',
    host: 'gitlab.example.com',
    name: 'Our GitLab',
    token: 'glpat-example',
  },
};

export const updateGitConnection: Examples<typeof UpdateGitConnection> = {
  'Another name': { name: 'Our repositories' },
  'A new token': { token: 'github_pat_11HIJKLMN0example' },
};

export const rotateWebhookSecret: Examples<typeof RotateWebhookSecret> = {
  'The old secret stays valid for an hour': { overlap_seconds: 3_600 },
};
