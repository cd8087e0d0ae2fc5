import { defineNamespace } from './define.ts';
import { Value, Whole } from './fields.ts';

export const retention = defineNamespace({
  value: Value({
    events_days: Whole(
      0,
      36_500,
      0,
      "Sessions' events are deleted after this time, unless they are still needed; 0: they are kept.",
    ),
    attachments_days: Whole(
      0,
      36_500,
      0,
      'Attachments are deleted after this time, unless a session uses them; 0: they are kept.',
    ),
    runs_days: Whole(
      0,
      36_500,
      0,
      'Runs of automations are deleted this long after their end, unless their session works; 0: they are kept.',
    ),
    violations_days: Whole(
      0,
      36_500,
      0,
      'Violations of guardrails are deleted after this time, unless their session works; 0: they are kept.',
    ),
  }),
  enforced: true,
  example: { events_days: 365, attachments_days: 90, runs_days: 180, violations_days: 365 },
});
