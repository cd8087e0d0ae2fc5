import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  Name,
  named,
  NullableInteger,
  NullableNumber,
  OneOf,
  Text,
  record,
  Timestamp,
} from '../../http/schema.ts';

const onExceed = ['block', 'queue'] as const;

const Amounts = Type.Object({
  cost_usd: Type.Number(),
  tokens: Type.Integer(),
  sessions: Type.Integer(),
  sandbox_minutes: Type.Number(),
});

const Limits = Type.Object({
  per_day: Type.Object(
    { cost_usd: NullableNumber, tokens: NullableInteger, sessions: NullableInteger, sandbox_minutes: NullableNumber },
    { description: 'Limits for the sessions of all members together, per day; null is unlimited.' },
  ),
  timezone: Type.String({ description: 'An IANA time zone; the day starts at its midnight.' }),
  on_exceed: OneOf(onExceed, {
    description:
      '`block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it waits, with ' +
      '`status_detail: group_limit`.',
  }),
});

export const Group = record(
  'Group',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.String(),
    member_count: Type.Integer(),
    members_digest: Type.String(),
    limits: Limits,
  }),
);

const reserved = Type.Object(Amounts.properties, {
  description: 'Reserved for dispatched sessions and running model calls; it counts against the limits.',
});

export const GroupUsage = named(
  'GroupUsage',
  Type.Object({
    date: Type.String({ description: 'YYYY-MM-DD' }),
    timezone: Type.String(),
    limits: Limits,
    used: Amounts,
    reserved,
  }),
);

/** A group's limits for one of its members, with today's use. */
export const GroupLimits = named(
  'GroupLimits',
  Type.Object({ id: Id, name: Type.String(), limits: Limits, used: Amounts, reserved, resets_at: Timestamp }),
);

function limit(type: 'integer' | 'number', maximum: number) {
  return Type.Optional(Type.Unsafe<number | null>({ type: [type, 'null'], minimum: 0, maximum }));
}

const limits = Body({
  per_day: Type.Optional(
    Body({
      cost_usd: limit('number', 1_000_000),
      tokens: limit('integer', 1_000_000_000_000),
      sessions: limit('integer', 1_000_000),
      sandbox_minutes: limit('number', 10_000_000),
    }),
  ),
  timezone: Type.Optional(Text(64, { minLength: 1 })),
  on_exceed: Type.Optional(OneOf(onExceed)),
});
const name = Name(200);
const description = Type.Optional(Text(2_000));

export const CreateGroup = Body({ name, description, limits: Type.Optional(limits) });
export const UpdateGroup = Body({ name: Type.Optional(name), description, limits: Type.Optional(limits) });
export type LimitsInput = Static<typeof limits>;
export type CreateGroup = Static<typeof CreateGroup>;
export type UpdateGroup = Static<typeof UpdateGroup>;

export const GroupMembers = Body({ user_ids: Type.Array(Id, { maxItems: 1_000 }) });

explain('Group', {
  member_count: 'Number of members.',
  members_digest: 'Identifies the set of members: it changes when one joins or leaves.',
  limits: 'Limits for the sessions of all members together.',
});
explain('GroupUsage', {
  limits: 'The current limits.',
  used: 'The use so far.',
});
explain('GroupLimits', {
  limits: 'The current limits, for the sessions of all members together.',
  used: "The use of all members since the beginning of the group's day.",
  resets_at: "The beginning of the group's next day.",
});
explain(['AddGroupMembersRequest', 'RemoveGroupMembersRequest', 'ReplaceGroupMembersRequest'], {
  user_ids: 'Ids of users, at most 1,000.',
});
explain(['CreateGroupRequest', 'UpdateGroupRequest'], {
  limits:
    'Limits for the sessions of all members together; omitted ones are unlimited in a new group, and unchanged in ' +
    'an existing one.',
  'limits.per_day': 'Limits per day; null is unlimited.',
  'limits.timezone': 'An IANA time zone; the day starts at its midnight.',
  'limits.on_exceed':
    '`block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it ' +
    'waits, with `status_detail: group_limit`.',
});
defaults('CreateGroupRequest', {
  description: '',
  'limits.per_day.cost_usd': null,
  'limits.per_day.tokens': null,
  'limits.per_day.sessions': null,
  'limits.per_day.sandbox_minutes': null,
  'limits.timezone': 'UTC',
  'limits.on_exceed': 'block',
});
