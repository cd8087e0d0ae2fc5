import { defineNamespace } from './define.ts';
import { Flag, Value, Whole } from './fields.ts';

export const memory = defineNamespace({
  value: Value({
    enabled: Flag(true, 'false: no session gets memory notes.'),
    retention_days: Whole(0, 3_650, 0, 'Generated memory is deleted after this time; 0: it is kept.'),
  }),
  enforced: true,
  example: { retention_days: 90 },
});
