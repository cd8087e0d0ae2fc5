import { defineNamespace } from './define.ts';
import { Flag, titled, Value, Whole } from './fields.ts';

export const knowledge = defineNamespace({
  title: 'Knowledge',
  value: Value({
    auto_suggest: titled('Suggest notes', Flag(true, 'true: the platform suggests notes after a session.')),
    max_notes_per_session: titled(
      'Notes per session',
      Whole(0, 200, 20, 'The maximum number of notes that a session gets.'),
      { unit: 'notes' },
    ),
  }),
  enforced: true,
  example: { auto_suggest: false, max_notes_per_session: 10 },
});
