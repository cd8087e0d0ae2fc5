import { defineNamespace } from './define.ts';
import { titled, Value, Whole } from './fields.ts';

const days = { unit: 'days', group: 'Delete after' };

export const retention = defineNamespace({
  title: 'Retention',
  value: Value({
    events_days: titled(
      'Events',
      Whole(
        0,
        36_500,
        0,
        "Sessions' events are deleted after this time, unless they are still needed; 0: they are kept.",
      ),
      days,
    ),
    attachments_days: titled(
      'Attachments',
      Whole(0, 36_500, 0, 'Attachments are deleted after this time, unless a session uses them; 0: they are kept.'),
      days,
    ),
    runs_days: titled(
      'Runs of automations',
      Whole(
        0,
        36_500,
        0,
        'Runs of automations are deleted this long after their end, unless their session works; 0: they are kept.',
      ),
      days,
    ),
    violations_days: titled(
      'Violations of guardrails',
      Whole(
        0,
        36_500,
        0,
        'Violations of guardrails are deleted after this time, unless their session works; 0: they are kept.',
      ),
      days,
    ),
  }),
  enforced: true,
  example: { events_days: 365, attachments_days: 90, runs_days: 180, violations_days: 365 },
});
