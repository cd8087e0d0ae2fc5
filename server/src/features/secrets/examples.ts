import type { Examples } from '../../http/examples.ts';
import type { CreateSecret, SetSecretValue, UpdateSecret } from './schemas.ts';

export const createSecret: Examples<typeof CreateSecret> = {
  'A variable in every sandbox': { key: 'STAGING_URL', value: 'https://staging.example.com', exposure: 'sandbox' },
  'A token that never enters a sandbox': {
    key: 'PAYMENTS_TOKEN',
    value: 'pay-2c6e10b94f',
    exposure: 'broker',
    allowed_hosts: ['api.payments.example.com'],
    note: 'Test account; read-only.',
  },
  'A file, for one repository': {
    key: 'SERVICE_ACCOUNT',
    value: '{"account": "tests@example.com"}',
    kind: 'file',
    scope: 'repository',
    repo: 'acme/shop',
  },
  'A git credential': {
    key: 'PRIVATE_PACKAGES',
    value: 'reader:glpat-81d0f6a3',
    kind: 'git_credential',
    exposure: 'broker',
    allowed_hosts: ['git.example.com'],
  },
};

export const setSecretValue: Examples<typeof SetSecretValue> = {
  'A new value': { value: 'pay-9b07d3e8a1' },
};

export const updateSecret: Examples<typeof UpdateSecret> = {
  'Other hosts, for a brokered secret': {
    exposure: 'broker',
    allowed_hosts: ['api.payments.example.com', '*.sandbox.payments.example.com'],
  },
};
