import { defineNamespace } from './define.ts';
import { Flag, titled, Value, Whole } from './fields.ts';

export const memory = defineNamespace({
  title: 'Memory',
  value: Value({
    enabled: titled('Memory', Flag(true, 'false: no session gets memory notes.')),
    retention_days: titled(
      'Keep generated memory',
      Whole(0, 3_650, 0, 'Generated memory is deleted after this time; 0: it is kept.'),
      { unit: 'days' },
    ),
  }),
  enforced: true,
  example: { retention_days: 90 },
});
