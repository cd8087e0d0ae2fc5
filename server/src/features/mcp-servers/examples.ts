import type { Examples } from '../../http/examples.ts';
import type { CreateMcpServer, SetMcpServerSecret, UpdateMcpServer } from './schemas.ts';

export const createMcpServer: Examples<typeof CreateMcpServer> = {
  'At a URL, with a secret in a header': {
    name: 'Issue tracker',
    url: 'https://issues.example.com/mcp',
    headers: { authorization: 'Bearer ${ISSUES_TOKEN}' },
  },
  'A command inside the sandbox, on request': {
    name: 'Schema browser',
    command: 'npx',
    args: ['--yes', '@acme/schema-mcp', '--read-only'],
    env: { DATABASE_URL: '${REPORTING_URL}' },
    access: 'on_request',
  },
};

export const updateMcpServer: Examples<typeof UpdateMcpServer> = {
  'For certain repositories only': { access: 'repositories', repos: ['acme/shop'] },
};

export const setMcpServerSecret: Examples<typeof SetMcpServerSecret> = {
  'Set a value': { value: 'itk-4f1c9a77d2' },
};
