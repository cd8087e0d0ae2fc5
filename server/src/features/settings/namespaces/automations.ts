import { defineNamespace } from './define.ts';
import { Flag, Value, Whole } from './fields.ts';

export const automations = defineNamespace({
  value: Value({
    min_interval_minutes: Whole(
      1,
      10_080,
      1,
      'The minimum time between two runs of a schedule. Times that come sooner are skipped.',
    ),
    pause_after_failures: Whole(
      0,
      1_000,
      5,
      'An automation is paused after this many failures in a row; 0: it never is.',
    ),
    followups: Flag(false, 'true: a session of an automation may schedule another run of it.'),
  }),
  enforced: true,
  example: { min_interval_minutes: 15, pause_after_failures: 3, followups: true },
});
