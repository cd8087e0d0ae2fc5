import type { Examples } from '../../http/examples.ts';
import type { SettingsValue } from './schemas.ts';

/** Each by its namespace. */
export const settings: Examples<typeof SettingsValue> = {
  run_tags: { allowed: ['bug', 'checkout', 'team-*'], default: ['bug'] },
  models: {
    providers: [{ name: 'house', kind: 'openai_compatible', base_url: 'https://models.example.com/v1' }],
    allowed: ['house/*'],
    prices: { 'house/coder': { input_per_mtok: 0.5, output_per_mtok: 2 } },
  },
  sessions: { max_minutes: 120, max_concurrent: 20, approval_timeout_minutes: 480 },
  source_control: { branch_prefix: 'agents/', draft_by_default: true, reviewers: ['ada'] },
  sandbox: { cpu: 4, memory_mb: 8_192, network: 'allowlist', allowed_hosts: ['*.example.com'] },
  knowledge: { auto_suggest: false, max_notes_per_session: 10 },
};
