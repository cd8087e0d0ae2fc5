import { Type, type Static, type TProperties } from 'typebox';
import { NullableNumber, OneOf, Text } from '../../http/schema.ts';
import { modelKinds } from '../../lib/models.ts';

/*
 * The shape of every namespace's value as it is in effect. A key with a `default` may be left out when it is put. A
 * number of which 0 makes no sense as a limit is off at 0.
 */

/** Names the key of the same object whose value is this one's default. */
export const defaultFrom = 'x-default-from';

function Value<T extends TProperties>(properties: T) {
  return Type.Object(properties, { additionalProperties: false, default: {} });
}

function Item<T extends TProperties>(properties: T) {
  return Type.Object(properties, { additionalProperties: false });
}

function Texts(maxItems: number, maxLength: number, description: string) {
  return Type.Array(Text(maxLength, { minLength: 1 }), { maxItems, uniqueItems: true, default: [], description });
}

function Flag(byDefault: boolean, description: string) {
  return Type.Boolean({ default: byDefault, description });
}

function Whole(minimum: number, maximum: number, byDefault: number, description: string) {
  return Type.Integer({ minimum, maximum, default: byDefault, description });
}

function Word(maxLength: number, description: string, more: { pattern?: string; default?: string } = {}) {
  return Type.String({ maxLength, default: '', description, ...more });
}

const run_tags = Value({
  allowed: Texts(200, 100, 'The tags a session may have; `*` in one stands for any characters. [] allows every tag.'),
  required_any: Texts(200, 100, 'A session has at least one of these, written as in `allowed`. [] requires none.'),
  default: Type.Array(Text(100, { minLength: 1 }), {
    maxItems: 50,
    uniqueItems: true,
    default: [],
    description: 'The tags of a session that is created without any.',
  }),
  enforce: Flag(true, 'Whether other sessions are refused (400 `tag_not_allowed`), or only get a `warning` event.'),
});

const dollars = { minimum: 0, maximum: 1_000_000 };
const Price = Item({
  input_per_mtok: Type.Number(dollars),
  output_per_mtok: Type.Number(dollars),
  cached_input_per_mtok: Type.Number({ ...dollars, [defaultFrom]: 'input_per_mtok' }),
});
const models = Value({
  providers: Type.Array(
    Item({
      name: Text(40, { minLength: 1, pattern: '^[a-z0-9][a-z0-9_-]*$', description: 'What stands before the slash.' }),
      kind: OneOf(modelKinds),
      base_url: Word(500, "http or https, without credentials. '' is the provider's own address."),
      secret: Word(256, 'The key of an organization secret.', { pattern: '^([A-Za-z_][A-Za-z0-9_]*)?$' }),
    }),
    { maxItems: 20, default: [], description: "Beside those of the operator's environment." },
  ),
  default: Word(200, "The model of a session that names none, as its agent does not. '' is the operator's default."),
  allowed: Texts(
    500,
    200,
    'The models that may be used: `<provider>/<model>`; `*` stands for any characters. [] allows every model.',
  ),
  pro_only: Texts(
    500,
    200,
    'The models that members with the role `regular` cannot start sessions with, written as in `allowed`.',
  ),
  prices: Type.Unsafe<Record<string, Static<typeof Price>>>({
    type: 'object',
    maxProperties: 500,
    propertyNames: { type: 'string', minLength: 1, maxLength: 200 },
    additionalProperties: Price,
    default: {},
    description: 'In US dollars per million tokens, by model.',
  }),
});

const sessions = Value({
  default_agent: Word(64, "The id of the agent of a session that names none. '' is the organization's `builtin`."),
  max_minutes: Whole(0, 100_000, 0, "The most, and the default, of a session's `budget.max_minutes`; 0 sets no limit."),
  idle_suspend_minutes: Whole(0, 100_000, 60, 'A session that waits so long for a person is suspended; 0 is never.'),
  approval_timeout_minutes: Whole(
    1,
    100_000,
    1_440,
    'How long a session waits for an approval; without a decision until then it is denied.',
  ),
  max_concurrent: Whole(0, 100_000, 0, 'Sessions that run at once; 0 sets no limit.'),
  max_concurrent_regular: Whole(
    0,
    100_000,
    0,
    'The same of each member with the role `regular`, where it is the lower of both; 0 sets no limit.',
  ),
  archive_after_days: Whole(0, 3_650, 0, 'A session that ended so long ago is archived; 0 is never.'),
  memory_default: Flag(true, '`memory_enabled` of a session that does not say.'),
});

const source_control = Value({
  branch_prefix: Word(100, "What a session's branch begins with, e.g. `guildhall/`.", { default: 'guildhall/' }),
  commit_author: Value({
    name: Type.String({ minLength: 1, maxLength: 200, default: 'Guildhall' }),
    email: Type.String({ minLength: 1, maxLength: 320, default: 'guildhall@localhost' }),
  }),
  draft_by_default: Flag(false, 'Whether a session that does not say delivers a draft.'),
  labels: Texts(50, 100, 'Named as labels in the text of the change requests that sessions open.'),
  reviewers: Texts(50, 200, 'Named as reviewers in the text of the change requests that sessions open.'),
});

const automations = Value({
  min_interval_minutes: Whole(1, 10_080, 1, 'The least time between two runs of a schedule.'),
  pause_after_failures: Whole(0, 1_000, 5, 'An automation that failed so often in a row is paused; 0 is never.'),
});

const memory = Value({
  enabled: Flag(true, 'Whether sessions are given memory notes at all.'),
  retention_days: Whole(0, 3_650, 0, 'How long generated memory is kept; 0 is for good.'),
});

const knowledge = Value({
  auto_suggest: Flag(true, 'Whether notes are suggested after a session.'),
  max_notes_per_session: Whole(0, 200, 20, 'The most notes that a session is given.'),
});

const sandbox = Value({
  cpu: Type.Number({ minimum: 0.1, maximum: 256, default: 2, description: 'Processors.' }),
  memory_mb: Whole(64, 4_194_304, 4_096, 'Memory, in MiB.'),
  disk_mb: Whole(64, 67_108_864, 10_240, 'Disk, in MiB.'),
  pids: Whole(32, 1_000_000, 1_024, 'Processes and threads.'),
  network: Type.Unsafe<'none' | 'allowlist' | 'open'>({
    type: 'string',
    enum: ['none', 'allowlist', 'open'],
    default: 'none',
    description:
      'What a sandbox reaches beside its repositories and models. With `allowlist` and `open` package registries too; private addresses never.',
  }),
  allowed_hosts: Texts(
    500,
    260,
    'With the network `allowlist`: `host` or `*.suffix`, for the ports 80 and 443 or with a `:port` of its own.',
  ),
});

const events = Texts(50, 100, 'Names of events; [] is all of them.');
const notifications = Value({
  webhooks: Type.Array(
    Item({ url: Text(2_000, { minLength: 1, description: 'http or https, without credentials.' }), events }),
    { maxItems: 20, default: [] },
  ),
  slack: Value({
    secret: Word(256, "The key of the organization secret that holds the webhook's address; '' is off.", {
      pattern: '^([A-Za-z_][A-Za-z0-9_]*)?$',
    }),
    channel: Word(100, "'' is the webhook's own."),
    events,
  }),
  email: Value({ recipients: Texts(100, 320, 'E-mail addresses; [] is off.'), events }),
});

const retention = Value({
  events_days: Whole(0, 36_500, 0, "How long sessions' events are kept; 0 is for good."),
  attachments_days: Whole(0, 36_500, 0, 'How long attachments are kept; 0 is for good.'),
});

function Dollars(description: string) {
  return Type.Unsafe<number | null>({
    ...NullableNumber,
    minimum: 0,
    maximum: 1_000_000_000,
    default: null,
    description: `${description} In US dollars; null sets no limit.`,
  });
}

const budgets = Value({
  per_day_usd: Dollars('What all sessions may cost in a day.'),
  per_cycle_usd: Dollars('What all sessions may cost in a billing cycle.'),
  per_session_usd: Dollars('What one session may cost.'),
  hard: Flag(true, 'Whether work stops at a limit, or goes on with a warning.'),
});

/** The value of every namespace, in the order they are listed. `reviews` has no settings yet. */
export const namespaces = {
  run_tags,
  models,
  sessions,
  source_control,
  reviews: Value({}),
  automations,
  memory,
  knowledge,
  sandbox,
  notifications,
  retention,
  budgets,
} as const;

export type Namespace = keyof typeof namespaces;

/** Kept and checked, while nothing of the platform acts on them. */
const notEnforced: ReadonlySet<Namespace> = new Set([
  'reviews',
  'automations',
  'notifications',
  'retention',
  'budgets',
]);

/** Whether the platform acts on what a namespace says. */
export function isEnforced(namespace: Namespace): boolean {
  return !notEnforced.has(namespace);
}

/** The whole value of a namespace, as it is in effect. */
export type Setting<N extends Namespace> = Static<(typeof namespaces)[N]>;
