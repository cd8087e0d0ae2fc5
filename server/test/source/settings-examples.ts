/** A value of every namespace without any default, as in the documentation. */
export const examples: Record<string, object> = {
  run_tags: {
    allowed: ['team-*', 'bug', 'free'],
    required_any: ['team-*', 'free'],
    default: ['free'],
    enforce: false,
  },
  models: {
    providers: [
      { name: 'local', kind: 'openai_compatible', base_url: 'http://llm.example.com:8080/v1', secret: 'LOCAL_LLM_KEY' },
      { name: 'claude', kind: 'anthropic', base_url: '', secret: 'ANTHROPIC' },
    ],
    default: 'local/qwen3-coder',
    allowed: ['local/qwen3-coder', 'claude/claude-sonnet-4-5'],
    pro_only: ['claude/claude-sonnet-4-5'],
    prices: { 'local/qwen3-coder': { input_per_mtok: 0.2, output_per_mtok: 0.6, cached_input_per_mtok: 0.05 } },
  },
  sessions: {
    default_agent: 'an agent',
    max_minutes: 120,
    idle_suspend_minutes: 15,
    approval_timeout_minutes: 240,
    max_concurrent: 20,
    max_concurrent_regular: 2,
    archive_after_days: 30,
    memory_default: false,
  },
  source_control: {
    branch_prefix: 'agents/',
    commit_author: { name: 'Acme Bot', email: 'bot@acme.example' },
    draft_by_default: true,
    labels: ['agent'],
    reviewers: ['ada', 'grace@acme.example'],
  },
  reviews: {},
  automations: { min_interval_minutes: 15, pause_after_failures: 3, followups: true },
  memory: { enabled: false, retention_days: 90 },
  knowledge: { auto_suggest: false, max_notes_per_session: 5 },
  sandbox: {
    cpu: 1.5,
    memory_mb: 2_048,
    disk_mb: 4_096,
    pids: 512,
    network: 'allowlist',
    allowed_hosts: ['api.example.com', '*.example.org', 'db.example.com:5432'],
  },
  notifications: {
    webhooks: [{ url: 'https://hooks.example.com/guildhall', events: ['session.finished'] }],
    slack: { secret: 'SLACK_WEBHOOK', channel: '#agents', events: ['session.failed'] },
    email: { recipients: ['ops@acme.example'], events: ['session.needs_you'] },
  },
  retention: { events_days: 365, attachments_days: 30, runs_days: 180, violations_days: 0 },
  budgets: { per_day_usd: 100, per_cycle_usd: 2_000, per_session_usd: 5.5, hard: false },
};

/** Values that are invalid as a whole, each with the place in its error. */
export const wrongWholes: { namespace: string; name: string; body: object; place: string }[] = [
  {
    namespace: 'run_tags',
    name: 'a default that is not allowed',
    body: { allowed: ['a'], default: ['b'] },
    place: 'default',
  },
  {
    namespace: 'run_tags',
    name: 'a default without what is required',
    body: { required_any: ['a'], default: ['b'] },
    place: 'default',
  },
  {
    namespace: 'models',
    name: 'a provider without a name',
    body: { providers: [{ kind: 'openai' }] },
    place: 'providers.0.name',
  },
  {
    namespace: 'models',
    name: 'a provider without a kind',
    body: { providers: [{ name: 'a' }] },
    place: 'providers.0.kind',
  },
  {
    namespace: 'models',
    name: 'a compatible provider without an address',
    body: { providers: [{ name: 'a', kind: 'openai_compatible' }] },
    place: 'providers.0.base_url',
  },
  {
    namespace: 'models',
    name: 'two providers of one name',
    body: {
      providers: [
        { name: 'a', kind: 'openai' },
        { name: 'a', kind: 'google' },
      ],
    },
    place: 'providers.1.name',
  },
  {
    namespace: 'models',
    name: 'an unknown key of a provider',
    body: { providers: [{ name: 'a', kind: 'openai', key: 'sk-1' }] },
    place: 'providers.0.key',
  },
  {
    namespace: 'models',
    name: 'a price without its output',
    body: { prices: { m: { input_per_mtok: 1 } } },
    place: 'prices.m.output_per_mtok',
  },
  {
    namespace: 'source_control',
    name: 'an unknown key of the author',
    body: { commit_author: { login: 'x' } },
    place: 'commit_author.login',
  },
  {
    namespace: 'source_control',
    name: 'an author that is a text',
    body: { commit_author: 'Ada' },
    place: 'commit_author',
  },
  {
    namespace: 'notifications',
    name: 'a webhook without an address',
    body: { webhooks: [{ events: [] }] },
    place: 'webhooks.0.url',
  },
  {
    namespace: 'notifications',
    name: 'an unknown key of slack',
    body: { slack: { token: 'xoxb' } },
    place: 'slack.token',
  },
  { namespace: 'notifications', name: 'an unknown key of email', body: { email: { to: 'x' } }, place: 'email.to' },
];
