import { defineNamespace } from './define.ts';
import { Flag, titled, Value, Whole } from './fields.ts';

export const automations = defineNamespace({
  title: 'Automations',
  value: Value({
    min_interval_minutes: titled(
      'Minimum interval',
      Whole(1, 10_080, 1, 'The minimum time between two runs of a schedule. Times that come sooner are skipped.'),
      { unit: 'minutes' },
    ),
    pause_after_failures: titled(
      'Pause after failures',
      Whole(0, 1_000, 5, 'An automation is paused after this many failures in a row; 0: it never is.'),
      { unit: 'failures' },
    ),
    followups: titled('Follow-ups', Flag(false, 'true: a session of an automation may schedule another run of it.')),
  }),
  enforced: true,
  example: { min_interval_minutes: 15, pause_after_failures: 3, followups: true },
});
