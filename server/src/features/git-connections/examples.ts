import type { Examples } from '../../http/examples.ts';
import type { CreateGitApp, PrepareGitApp, RotateGitAppSecret } from './app-schemas.ts';
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

export const prepareGitApp: Examples<typeof PrepareGitApp> = {
  'For an organization at GitHub': { github_organization: 'acme', name: 'Guildhall of Acme' },
  'On a server of your own': { host: 'github.example.com' },
};

export const rotateGitAppSecret: Examples<typeof RotateGitAppSecret> = {
  'Deliveries that are on their way are accepted for ten minutes': { overlap_seconds: 600 },
};

export const createGitApp: Examples<typeof CreateGitApp> = {
  'What the redirect contains': { code: 'a180b1a3d263c81bc6441d7b990bae27d4c10679', state: 'Jc0wgYpXyN1' },
};
