import type { Examples } from '../../http/examples.ts';
import type { MergeChangeRequest } from './change-request-schemas.ts';
import type { CreateComment, UpdateComment } from './comment-schemas.ts';
import type { CreateRepository, UpdateRepository } from './schemas.ts';
import type { SetCommitStatus } from './status-schemas.ts';

export const createRepository: Examples<typeof CreateRepository> = {
  'An empty one': { provider: 'local', repo: 'acme/shop' },
  'With the commands that install and check': {
    provider: 'local',
    repo: 'acme/storefront',
    default_branch: 'main',
    environment: { setup_command: 'npm ci', verify_command: 'npm test' },
  },
  'With an example to try sessions on': { provider: 'local', repo: 'acme/greeting', template: 'example' },
  'A copy of one elsewhere': {
    provider: 'local',
    repo: 'acme/billing',
    import_url: 'https://git.example.com/acme/billing.git',
  },
};

export const updateRepository: Examples<typeof UpdateRepository> = {
  'The commands that install and check': { environment: { setup_command: 'npm ci', verify_command: 'npm test' } },
};

export const createComment: Examples<typeof CreateComment> = {
  'On the whole change': { body: 'Please split the rename from the fix.' },
  'On two lines of a file': {
    body: 'This rounds twice.',
    file: 'src/orders.js',
    start_line: 41,
    line: 42,
  },
};

export const updateComment: Examples<typeof UpdateComment> = {
  Settled: { resolved: true },
  'Another text': { body: 'This rounds twice: here and in `total()`.' },
};

export const mergeChangeRequest: Examples<typeof MergeChangeRequest> = {
  'As one commit': { method: 'squash' },
};

export const setCommitStatus: Examples<typeof SetCommitStatus> = {
  'A check that failed': {
    sha: '1f3870be274f6c49b3e31a0c6728957f1e1a0f6b',
    name: 'ci/test',
    state: 'failure',
    description: '2 of 418 tests failed',
    url: 'https://ci.example.com/builds/812',
  },
};
