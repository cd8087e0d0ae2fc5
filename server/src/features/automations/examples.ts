import type { Examples } from '../../http/examples.ts';
import type {
  CreateAutomation,
  RotateAutomationSecret,
  TriggerAutomation,
  UpdateAutomation,
  ValidateAutomation,
} from './schemas.ts';

export const createAutomation: Examples<typeof CreateAutomation> = {
  'Each weekday morning': {
    name: 'Nightly dependencies',
    triggers: [{ type: 'schedule', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' }],
    action: { prompt_template: 'Update the dependencies whose tests pass.', repositories: [], tags: [] },
    concurrency: 'skip',
    missed_runs: 'run_once',
    retry: { max_attempts: 3, backoff_seconds: 300 },
    timeout_minutes: 90,
  },
  'A push to the main branch': {
    name: 'Check the changelog',
    triggers: [
      {
        type: 'push',
        conditions: [
          { path: '/repo', operator: 'equals', value: 'acme/shop' },
          { path: '/branch', operator: 'equals', value: 'main' },
        ],
      },
    ],
    action: {
      prompt_template: 'Add what {{payload.after}} changed for users to CHANGELOG.md.',
      repositories: [{ repo: 'acme/shop' }],
      deliver: 'draft',
    },
    concurrency: 'queue',
  },
};

export const updateAutomation: Examples<typeof UpdateAutomation> = {
  'Another prompt, and fewer attempts': {
    action: { prompt_template: 'Update the dependencies that have security fixes.' },
    retry: { max_attempts: 1 },
  },
};

export const validateAutomation: Examples<typeof ValidateAutomation> = {
  'The next times, and a sample': {
    triggers: [
      { type: 'schedule', cron: '30 2 * * *', timezone: 'America/New_York' },
      { type: 'webhook', conditions: [{ path: '/action', operator: 'equals', value: 'opened' }] },
    ],
    prompt_template: 'Triage the issue {{payload.issue.title}}.',
    sample: { type: 'webhook', payload: { action: 'opened', issue: { title: 'Checkout fails' } } },
  },
};

export const rotateAutomationSecret: Examples<typeof RotateAutomationSecret> = {
  'The old secret is valid for another hour': { overlap_seconds: 3_600 },
};

export const triggerAutomation: Examples<typeof TriggerAutomation> = {
  'With a payload': { payload: { package: 'fastify', version: '5.12.8' } },
};
