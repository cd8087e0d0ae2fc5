import { newAutomation, newTrigger, type EditorValues } from './values.ts';

/** A worked example, which opens the editor filled in. */
export interface Example {
  id: string;
  title: string;
  text: string;
  values: () => EditorValues;
}

function made(
  name: string,
  prompt: string,
  part: Partial<EditorValues>,
  deliver: EditorValues['action']['deliver'] = '',
): EditorValues {
  const values = newAutomation();
  return { ...values, ...part, name, action: { ...values.action, prompt_template: prompt, deliver } };
}

export const examples: readonly Example[] = [
  {
    id: 'dependencies',
    title: 'Update the dependencies each night',
    text: 'On weekdays at 02:30: updates what still passes the tests, and opens a change request.',
    values: () =>
      made(
        'Nightly dependencies',
        'Update the dependencies to their newest compatible versions. Keep those whose update breaks the tests, and say why.',
        { triggers: [newTrigger()], retry: { max_attempts: 3, backoff_seconds: 300 } },
      ),
  },
  {
    id: 'changelog',
    title: 'Keep the changelog after each push to main',
    text: 'When main is pushed to: adds what users notice to the changelog, as a draft.',
    values: () =>
      made(
        'Changelog',
        'Add what {{payload.after}} changed for users to CHANGELOG.md. Change nothing else.',
        {
          triggers: [{ ...newTrigger('push'), conditions: [{ path: '/branch', operator: 'equals', value: 'main' }] }],
          concurrency: 'queue',
        },
        'draft',
      ),
  },
  {
    id: 'alerts',
    title: 'Look into alerts of the monitoring',
    text: 'When your monitoring sends a request: finds the cause of an error, and proposes a fix.',
    values: () =>
      made(
        'Alerts',
        'Find the cause of the error {{payload.title}}. Fix it with a test if the cause is in this repository; else say where it is.',
        {
          triggers: [
            { ...newTrigger('webhook'), conditions: [{ path: '/level', operator: 'equals', value: 'error' }] },
          ],
          concurrency: 'parallel',
        },
      ),
  },
];

/** Payloads to try, as the triggers send them. */
export const samples: Record<string, unknown> = {
  schedule: {},
  once: {},
  webhook: { title: 'Checkout fails', level: 'error', count: 3 },
  push: {
    provider: 'local',
    repo: 'acme/shop',
    default_branch: 'main',
    ref: 'refs/heads/main',
    branch: 'main',
    tag: '',
    before: '8c1f0d9e2b7a4c6d8e0f1a2b3c4d5e6f7a8b9c0d',
    after: '1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c',
    created: false,
    deleted: false,
    pusher: { type: 'user', id: 'usr_1' },
  },
  change_request: {
    provider: 'local',
    repo: 'acme/shop',
    number: 12,
    title: 'Invoices get a due date',
    state: 'open',
    draft: false,
    head_ref: 'due-date',
    base_ref: 'main',
    action: 'opened',
  },
};
