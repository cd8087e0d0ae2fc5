import type { Examples } from '../../http/examples.ts';
import type { EvaluateGuardrails, ReplaceGuardrails } from './schemas.ts';

export const replaceGuardrails: Examples<typeof ReplaceGuardrails> = {
  'Small changes, a few at a time': {
    max_concurrent_sessions: 3,
    max_open_change_requests: 5,
    max_cost_per_session_usd: 10,
    max_changed_files: 30,
    max_changed_lines: 1_500,
    protected_paths: ['.github/', 'infra/**', '*.pem'],
    secret_scan: 'block',
  },
  'No automation without an approved plan': {
    allowed_origins: ['console', 'cli', 'api'],
    require_plan_approval: true,
    commands_denied: ['git push', 'npm publish', 'rm -rf', 'kubectl'],
  },
};

export const evaluateGuardrails: Examples<typeof EvaluateGuardrails> = {
  'A command, and a file': {
    origin: 'automation',
    commands: ['npm test && npm publish --access public'],
    files: [{ path: '.github/workflows/ci.yml', additions: 3, deletions: 1 }],
  },
};
