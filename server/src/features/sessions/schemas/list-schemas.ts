import { Type, type Static } from 'typebox';
import { Body, explain, ListQuery, named, OneOf, Text } from '../../../http/schema.ts';

const filter = Type.Optional(Text(2_000));
const time = Type.Optional(Type.String({ format: 'date-time', maxLength: 40 }));

/** The filters of the list, which the counts share. */
const filters = {
  id: Type.Optional(Text(2_000, { description: 'Id of a session; one or several, separated by commas.' })),
  status: filter,
  status_detail: filter,
  attention: Type.Optional(Text(2_000, { description: 'What it needs: one or several, separated by commas.' })),
  verification: Type.Optional(
    Text(2_000, { description: 'How its work was checked: one or several, separated by commas.' }),
  ),
  origin: filter,
  tag: filter,
  repo: filter,
  created_by: Type.Optional(
    Text(2_000, {
      description: 'Id of a user, service user, app or session, or `me`; one or several, separated by commas.',
    }),
  ),
  automation_id: filter,
  automation_run_id: filter,
  parent_session_id: filter,
  created_after: time,
  created_before: time,
  updated_after: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Only sessions changed after this time, ISO 8601 with time zone.',
    }),
  ),
  archived: Type.Optional(OneOf(['true', 'false', 'any'])),
  search: Type.Optional(Text(500, { minLength: 1 })),
};

export const SessionFilters = Type.Object(filters, { additionalProperties: false });
export type SessionFilters = Static<typeof SessionFilters>;

export const SessionQuery = ListQuery({
  ...filters,
  sort: Type.Optional(
    OneOf(['created_at', 'updated_at'], {
      description: '`created_at` (default): the newest first. `updated_at`: the last changed first.',
    }),
  ),
  view: Type.Optional(
    OneOf(['full', 'summary'], {
      description:
        'With `summary`, `prompt`, `metadata`, `structured_output` and the `evidence` of phases are empty, which makes a list much smaller.',
    }),
  ),
});
export type SessionQuery = Static<typeof SessionQuery>;

const count = Type.Integer({ minimum: 0 });
export const SessionCounts = named(
  'SessionCounts',
  Type.Object({
    needs_you: count,
    working: count,
    queued: count,
    suspended: count,
    done: count,
    failed: count,
    unread: count,
  }),
);
export type SessionCounts = Static<typeof SessionCounts>;

explain('SessionCounts', {
  needs_you: 'Sessions that wait for an approval, an answer or a larger budget.',
  working: 'Sessions that a worker prepares or runs.',
  queued: 'Sessions that wait for a worker.',
  suspended: 'Sessions that were suspended by a user or for lack of capacity.',
  done: 'Completed and canceled sessions.',
  failed: 'Failed sessions.',
  unread: 'Sessions of any of these kinds that are unread.',
});

export const MarkSessionRead = Body({
  seq: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The last event that you have read. A number beyond the last event counts as the last one.',
  }),
});

export const SessionRead = named(
  'SessionRead',
  Type.Object({
    seq: Type.Integer({ minimum: 0, description: 'The last event that you have read; it never goes back.' }),
    unread: Type.Boolean({ description: 'True if the session stopped after that event.' }),
  }),
);
