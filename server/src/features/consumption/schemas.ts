import { Type, type TProperties } from 'typebox';
import { explain, Id, ListQuery, named, NullableTimestamp, OneOf, Text, Timestamp } from '../../http/schema.ts';

export const dimensions = ['user', 'service_user', 'repo', 'model', 'automation', 'tag'] as const;
export type GroupBy = (typeof dimensions)[number];

export const Day = Type.String({ description: 'A day in UTC: YYYY-MM-DD.' });

/** A day in a query. */
function DayInput(description: string) {
  return Type.Optional(Text(10, { description }));
}

/** The range of a query. */
export const range = {
  from: DayInput('The first day in UTC, YYYY-MM-DD; by default 29 days before `to`.'),
  to: DayInput('The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today.'),
};

export const useFields = {
  calls: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  cost_usd: Type.Number(),
  sandbox_minutes: Type.Number(),
} satisfies TProperties;

const Use = named('Use', Type.Object(useFields));
const UseDay = named('UseDay', Type.Object({ date: Day, ...useFields }));
const series = { totals: Use, days: Type.Array(UseDay) };
const Rest = named('ConsumptionRest', Type.Object(series));
const Group = named('ConsumptionGroup', Type.Object({ id: Type.String(), name: Type.String(), ...series }));

export const DailyConsumption = named(
  'DailyConsumption',
  Type.Object({
    from: Day,
    to: Day,
    group_by: OneOf(['', ...dimensions]),
    ...series,
    groups: Type.Array(Group),
    groups_total: Type.Integer(),
    rest: Rest,
  }),
);

export const Consumption = named('Consumption', Type.Object({ from: Day, to: Day, ...series }));

const groupBy = Type.Optional(OneOf(dimensions, { description: 'What the groups are; none by default.' }));
export const RangeQuery = Type.Object(range, { additionalProperties: false });
export const DailyQuery = Type.Object(
  {
    ...range,
    group_by: groupBy,
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 10,
        description: 'The number of groups; times the number of days, at most 12,000.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const BillingCycle = named(
  'BillingCycle',
  Type.Object({ id: Id, start: Day, end: Day, state: OneOf(['open', 'closed']), ...useFields }),
);
export const ExportQuery = Type.Object({ group_by: groupBy }, { additionalProperties: false });

export const ModelPrice = named(
  'ModelPrice',
  Type.Object({
    id: Id,
    model: Type.String(),
    input_per_mtok: Type.Number(),
    output_per_mtok: Type.Number(),
    cached_input_per_mtok: Type.Number(),
    effective_from: Timestamp,
    effective_until: NullableTimestamp,
  }),
);
export const PriceQuery = ListQuery({
  model: Type.Optional(Text(200, { minLength: 1, description: 'The prices of this model, as the settings name it.' })),
});

explain(['Use', 'UseDay', 'BillingCycle'], {
  calls: 'Number of model calls.',
  input_tokens: 'Tokens of requests, with those from and to a cache.',
  output_tokens: 'Tokens of responses.',
  cached_input_tokens: 'Input tokens that were read from a cache.',
  cache_write_tokens: 'Input tokens that were written to a cache.',
  cost_usd: 'Sum of the costs of the calls, each by the price at its time.',
  sandbox_minutes: 'Minutes that sandboxes ran; counted when a turn ends.',
});
explain(['DailyConsumption', 'Consumption'], {
  from: 'The first day.',
  to: 'The last day.',
});
explain(['DailyConsumption', 'Consumption', 'ConsumptionGroup', 'ConsumptionRest'], {
  totals: 'The sum of the days.',
  days: 'Every day of the range; days without use are zeros.',
});
explain('DailyConsumption', {
  group_by: 'What the groups are; "" without groups.',
  groups: 'The groups that cost most in the range, the most expensive first.',
  groups_total: 'Number of groups with any use in the range.',
  rest:
    'All other groups together. What belongs to no group is not among them, such as calls of sessions without a ' +
    'repository. A session with two tags counts in both.',
});
explain('ConsumptionGroup', {
  id: 'Id of the user, service user or automation; the model; the tag; or the repository, as `provider:owner/name`.',
  name: 'Name of the user, service user or automation, "" for one that is gone; otherwise the id.',
});
explain('BillingCycle', {
  start: 'The first day in UTC: the first of a month.',
  end: 'The last day in UTC.',
  state: '`open` until the last day is over.',
});
explain('ModelPrice', {
  model: 'The model, as the settings name it.',
  input_per_mtok: 'US dollars per million input tokens.',
  output_per_mtok: 'US dollars per million output tokens.',
  cached_input_per_mtok: 'US dollars per million input tokens that are read from a cache.',
  effective_from: 'Calls since then cost this.',
  effective_until: 'Calls from then on do not; null for a current price.',
});
