import { defineNamespace } from './define.ts';
import { Flag, Value, Whole } from './fields.ts';

export const knowledge = defineNamespace({
  value: Value({
    auto_suggest: Flag(true, 'true: the platform suggests notes after a session.'),
    max_notes_per_session: Whole(0, 200, 20, 'The maximum number of notes that a session gets.'),
  }),
  enforced: true,
  example: { auto_suggest: false, max_notes_per_session: 10 },
});
