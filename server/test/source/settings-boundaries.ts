export interface Boundary {
  namespace: string;
  /** The place in the error, or its beginning. */
  place: string;
  body: (value: unknown) => object;
  /** Valid values at the boundary. */
  taken: unknown[];
  /** Invalid values: just beyond it, and of another type. */
  refused: unknown[];
}

const numbered = (count: number, prefix = 't') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const long = (length: number) => 'x'.repeat(length);

function whole(namespace: string, key: string, minimum: number, maximum: number): Boundary {
  return {
    namespace,
    place: key,
    body: (value) => ({ [key]: value }),
    taken: [minimum, maximum],
    refused: [minimum - 1, maximum + 1, 1.5, String(minimum + 1), null, true, [], 1e300],
  };
}

function flag(namespace: string, key: string): Boundary {
  return {
    namespace,
    place: key,
    body: (value) => ({ [key]: value }),
    taken: [true, false],
    refused: ['true', 1, null, []],
  };
}

function texts(namespace: string, key: string, maxItems: number, maxLength: number): Boundary {
  return {
    namespace,
    place: key,
    body: (value) => ({ [key]: value }),
    taken: [[], [long(maxLength)], numbered(maxItems)],
    refused: [[''], [long(maxLength + 1)], numbered(maxItems + 1), ['a', 'a'], ['a', 1], 'a', null, {}],
  };
}

function text(namespace: string, key: string, taken: string[], refused: unknown[]): Boundary {
  return { namespace, place: key, body: (value) => ({ [key]: value }), taken, refused: [...refused, 1, null, []] };
}

function dollars(key: string): Boundary {
  return {
    namespace: 'budgets',
    place: key,
    body: (value) => ({ [key]: value }),
    taken: [0, 0.01, 1_000_000_000, null],
    refused: [-0.01, 1_000_000_000.01, '1', true, []],
  };
}

function at(namespace: string, place: string, body: Boundary['body'], taken: unknown[], refused: unknown[]): Boundary {
  return { namespace, place, body, taken, refused };
}

const local = { name: 'local', kind: 'openai_compatible', base_url: 'http://llm.example.com', secret: '' };
const provider = (key: string) => (value: unknown) => ({ providers: [{ ...local, [key]: value }] });
const price = { input_per_mtok: 1, output_per_mtok: 2, cached_input_per_mtok: 0.5 };
const priced = (key: string) => (value: unknown) => ({ prices: { m: { ...price, [key]: value } } });
const author = (key: string) => (value: unknown) => ({
  commit_author: { name: 'Ada', email: 'ada@example.org', [key]: value },
});
const webhook = (key: string) => (value: unknown) => ({
  webhooks: [{ url: 'https://example.com/', events: [], [key]: value }],
});
const slack = (key: string) => (value: unknown) => ({ slack: { secret: '', channel: '', events: [], [key]: value } });
const email = (key: string) => (value: unknown) => ({ email: { recipients: [], events: [], [key]: value } });
const hosts = (value: unknown) => ({ allowed_hosts: [value] });
const secretKeys = { taken: ['', 'A', '_', long(256)], refused: [long(257), '1A', 'A-B', 'A B', 'Ä', 1, null] };
const eventLists = {
  taken: [[], ['session.finished'], ['session.needs_you', 'session.finished', 'session.failed', 'webhook.disabled']],
  refused: [numbered(51), ['session.created'], [''], [long(101)], ['a', 'a'], 'a', null],
};
const prices = (count: number) => Object.fromEntries(numbered(count, 'm').map((name) => [name, price]));
const providers = (count: number) => numbered(count, 'p').map((name) => ({ ...local, name }));

/** Every field of every namespace, with values at its boundary and just beyond it. */
export const boundaries: Boundary[] = [
  texts('run_tags', 'allowed', 200, 100),
  texts('run_tags', 'required_any', 200, 100),
  texts('run_tags', 'default', 50, 100),
  flag('run_tags', 'enforce'),

  at('models', 'providers', (value) => ({ providers: value }), [[], providers(20)], [providers(21), {}, null, ['x']]),
  at(
    'models',
    'providers.0.name',
    provider('name'),
    ['a', '0', 'a-b_c', long(40)],
    ['', long(41), 'A', 'a/b', 'a b', '-a', 1, null],
  ),
  at(
    'models',
    'providers.0.kind',
    provider('kind'),
    ['anthropic', 'openai', 'google', 'openai_compatible'],
    ['openai-compatible', 'Anthropic', '', null],
  ),
  at(
    'models',
    'providers.0.base_url',
    provider('base_url'),
    ['http://a', 'https://a.example/v1', `https://a.example/${long(482)}`],
    [
      `https://a.example/${long(483)}`,
      'ftp://a',
      'a.example',
      'https://user:word@a.example/',
      'https://user@a/',
      '',
      1,
      null,
    ],
  ),
  at('models', 'providers.0.secret', provider('secret'), secretKeys.taken, secretKeys.refused),
  at(
    'models',
    'default',
    (value) => ({ providers: [{ ...local, name: 'a' }], default: value }),
    ['', 'a/b', long(200)],
    [long(201), 'google/gemini', 1, null, []],
  ),
  texts('models', 'allowed', 500, 200),
  texts('models', 'pro_only', 500, 200),
  at(
    'models',
    'prices',
    (value) => ({ prices: value }),
    [{}, prices(500), { [long(200)]: price }],
    [prices(501), { [long(201)]: price }, { '': price }, [], null],
  ),
  at('models', 'prices.m.input_per_mtok', priced('input_per_mtok'), [0, 1_000_000], [-0.1, 1_000_001, '1', null]),
  at('models', 'prices.m.output_per_mtok', priced('output_per_mtok'), [0, 1_000_000], [-0.1, 1_000_001, '1', null]),
  at(
    'models',
    'prices.m.cached_input_per_mtok',
    priced('cached_input_per_mtok'),
    [0, 1_000_000],
    [-0.1, 1_000_001, '1', null],
  ),

  text('sessions', 'default_agent', [''], [long(65), 'agt_none', 'builtin']),
  whole('sessions', 'max_minutes', 0, 100_000),
  whole('sessions', 'idle_suspend_minutes', 0, 100_000),
  whole('sessions', 'max_concurrent', 0, 100_000),
  whole('sessions', 'max_concurrent_regular', 0, 100_000),
  whole('sessions', 'archive_after_days', 0, 3_650),
  flag('sessions', 'memory_default'),

  text(
    'source_control',
    'branch_prefix',
    ['', 'a', 'agents/', 'a/b-', long(100)],
    [
      long(101),
      '/',
      '/a',
      'a//',
      '.a',
      'a/.',
      'a..',
      '-a',
      'a b',
      'a~',
      'a^',
      'a:',
      'a?',
      'a*',
      'a[',
      'a\\',
      'a@{',
      'x.lock/',
      'refs/heads/',
      'a\n',
    ],
  ),
  at(
    'source_control',
    'commit_author.name',
    author('name'),
    ['A', "Ada O'Brien", long(200)],
    ['', long(201), '.', ' ', 'a<b', 'a>b', 'a\nb', 1, null],
  ),
  at(
    'source_control',
    'commit_author.email',
    author('email'),
    ['a', 'bot@acme.example', long(320)],
    ['', long(321), ' ', '<a@b>', 'a\nb', 1, null],
  ),
  flag('source_control', 'draft_by_default'),
  texts('source_control', 'labels', 50, 100),
  texts('source_control', 'reviewers', 50, 200),

  whole('automations', 'min_interval_minutes', 1, 10_080),
  whole('automations', 'pause_after_failures', 0, 1_000),
  flag('automations', 'followups'),
  flag('memory', 'enabled'),
  whole('memory', 'retention_days', 0, 3_650),
  flag('knowledge', 'auto_suggest'),
  whole('knowledge', 'max_notes_per_session', 0, 200),

  at('sandbox', 'cpu', (value) => ({ cpu: value }), [0.1, 256], [0.09, 256.1, '1', null]),
  whole('sandbox', 'memory_mb', 64, 4_194_304),
  whole('sandbox', 'disk_mb', 64, 67_108_864),
  whole('sandbox', 'pids', 32, 1_000_000),
  text('sandbox', 'network', ['none', 'allowlist', 'open'], ['registries', 'None', '']),
  at(
    'sandbox',
    'allowed_hosts',
    (value) => ({ allowed_hosts: value }),
    [[], numbered(500, 'host')],
    [numbered(501, 'host'), ['a', 'a'], 'a', null],
  ),
  at(
    'sandbox',
    'allowed_hosts.0',
    hosts,
    ['localhost', 'a.example', '*.example.com', 'a.example:1', '*.a.example:65535', '192.0.2.7:8080', 'A.example'],
    [
      '',
      '*',
      '*.',
      'a.*',
      'a.example:0',
      'a.example:65536',
      'https://a.example',
      'a.example/x',
      'a b',
      '10.0.0.0/8',
      long(261),
      1,
    ],
  ),

  at(
    'notifications',
    'webhooks',
    (value) => ({ webhooks: value }),
    [[], numbered(20).map((name) => ({ url: `https://${name}.example/`, events: [] }))],
    [numbered(21).map((name) => ({ url: `https://${name}.example/`, events: [] })), {}, null, ['https://a.example']],
  ),
  at(
    'notifications',
    'webhooks.0.url',
    webhook('url'),
    ['http://a.example', 'https://a.example:8443/x?y=z', `https://a.example/${long(1_982)}`],
    [
      `https://a.example/${long(1_983)}`,
      '',
      'a.example',
      'file:///etc/passwd',
      'https://user:word@a.example',
      'https://user@a.example',
      1,
      null,
    ],
  ),
  at('notifications', 'webhooks.0.events', webhook('events'), eventLists.taken, eventLists.refused),
  at('notifications', 'slack.secret', slack('secret'), secretKeys.taken, secretKeys.refused),
  at('notifications', 'slack.channel', slack('channel'), ['', '#a', long(100)], [long(101), 1, null]),
  at('notifications', 'slack.events', slack('events'), eventLists.taken, eventLists.refused),
  at(
    'notifications',
    'email.recipients',
    email('recipients'),
    [[], [`${long(308)}@example.com`], numbered(100).map((name) => `${name}@example.com`)],
    [
      [`${long(309)}@example.com`],
      numbered(101).map((name) => `${name}@example.com`),
      ['nobody'],
      ['a@b', 'a@b'],
      ['a b@c'],
      null,
    ],
  ),
  at('notifications', 'email.events', email('events'), eventLists.taken, eventLists.refused),

  whole('retention', 'events_days', 0, 36_500),
  whole('retention', 'attachments_days', 0, 36_500),
  whole('retention', 'runs_days', 0, 36_500),
  whole('retention', 'violations_days', 0, 36_500),
  dollars('per_day_usd'),
  dollars('per_cycle_usd'),
  dollars('per_session_usd'),
  flag('budgets', 'hard'),
];
