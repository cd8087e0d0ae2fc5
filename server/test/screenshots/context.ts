import { keepGenerated } from '../../src/features/memory/public.ts';
import { addSuggestion } from '../../src/features/knowledge/public.ts';
import { runningIn } from '../support/session-states.ts';
import { ago, each, type Shop } from './world.ts';

const notes = [
  [
    'Database migrations',
    'a change of a table or a column',
    'Each migration is one file in `db/migrations`, numbered. It runs **forward only**.\n\n1. Add the column with a default or nullable.\n2. Fill it.\n3. Only then add `not null`.\n\nNever rewrite a table of more than a million rows in one statement.',
    'acme/billing',
  ],
  [
    'Error messages',
    'text that a user reads when something fails',
    'An error says what is wrong, then what to do. No codes alone, no apologies.',
    '',
  ],
  [
    'Amounts of money',
    'prices, totals, invoices, currencies',
    'Amounts are integers in the smallest unit, with the currency beside them. Never use floating point.',
    '',
  ],
  ['Release steps', 'a release, a version, the changelog', 'Run `npm run release`. It needs the tag to be signed.', ''],
  ['How we name branches', 'creating a branch', 'Use `team/short-description`.', 'acme/storefront'],
  [
    'Feature flags',
    'a flag, a gradual rollout, an experiment',
    'Flags live in `flags.yaml` and have an owner and an end date.',
    '',
  ],
  [
    'End-to-end tests that are known to be slow',
    'tests of the shop front that time out',
    'Run them with `--shard`. A time out below 60 s is a bug of the test.',
    'acme/storefront',
  ],
] as const;

const skill = (name: string, description: string, text: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${text}\n`;

/** Creates what sessions are given: knowledge, memory, skills, MCP servers, secrets, and the agents themselves. */
export async function equip(shop: Shop): Promise<void> {
  const { ask, values, people } = shop;
  await each(notes, async ([name, trigger, body, repo], at) => {
    const scope = repo === '' ? {} : { scope: 'repository', repo_filter: repo };
    const { note_id: id } = await ask('POST', '/knowledge/notes', { name, trigger, body, ...scope });
    values['knowledge/notes/{noteId}'] ??= String(id);
    values[`note ${at}`] = String(id);
    if (name === 'Release steps') await ask('PATCH', `/knowledge/notes/${String(id)}`, { enabled: false });
  });
  const first = values['knowledge/notes/{noteId}'] ?? '';
  await ask('PATCH', `/knowledge/notes/${first}`, { trigger: 'a change of a table, a column or an index' });

  const memory = [
    ['How to run one test', '`npm test -- <part of the file name>` runs only the tests that match.'],
    ['The ledger is append-only', 'Rows of `ledger_entries` are never updated. A correction is a second entry.'],
  ] as const;
  await each(memory, ([title, content]) =>
    ask('POST', '/memory/notes', { repo: 'acme/billing', provider: 'local', title, content }),
  );

  const skills = [
    [
      'database-change',
      'Plans and writes a migration with its rollback plan. Use it for every change of a table.',
      'Read the schema first.\nThen follow `steps.md`.',
    ],
    [
      'release-notes',
      'Writes release notes from merged change requests, grouped by what a customer notices.',
      'List the change requests since the last tag.',
    ],
    [
      'accessibility-review',
      'Checks a page for names, contrast, focus order and keyboard use.',
      'Open the page in the browser.',
    ],
  ] as const;
  await each(skills, async ([name, description, text], at) => {
    const files = [{ path: 'SKILL.md', content: skill(name, description, text) }];
    if (at === 0)
      files.push(
        { path: 'steps.md', content: '# Steps\n\n1. Add\n2. Fill\n3. Constrain\n' },
        { path: 'scripts/size.sql', content: "select pg_size_pretty(pg_table_size('invoices'));\n" },
      );
    const assignments = at === 0 ? [{ scope: 'repository', repo: 'acme/billing' }] : [{ scope: 'organization' }];
    const { id } = await ask('POST', '/skills', { files, assignments });
    values['skills/{id}'] ??= String(id);
  });

  const servers = [
    {
      name: 'Issues',
      description: 'Reads and comments issues of the tracker',
      url: 'https://issues.acme.example/mcp',
      headers: { authorization: 'Bearer ${ISSUES_TOKEN}' },
    },
    {
      name: 'Error reports',
      description: 'Finds errors in production by their text',
      url: 'https://errors.acme.example/mcp',
      access: 'repositories',
      repos: ['acme/storefront', 'acme/mobile-app'],
    },
    {
      name: 'Postgres (read only)',
      description: 'Queries a copy of production',
      command: 'pg-mcp',
      args: ['--read-only'],
      access: 'on_request',
    },
  ];
  await each(servers, async (server) => {
    const { id } = await ask('POST', '/mcp-servers', server);
    values['mcp-servers/{id}'] ??= String(id);
  });
  await ask('PUT', `/mcp-servers/${values['mcp-servers/{id}'] ?? ''}/secrets/ISSUES_TOKEN`, {
    value: 'not a real one',
  });

  const secrets = [
    { key: 'NPM_TOKEN', note: 'Reads our packages', exposure: 'broker', allowed_hosts: ['registry.acme.example'] },
    { key: 'SENTRY_AUTH_TOKEN', note: 'Uploads source maps' },
    { key: 'STRIPE_TEST_KEY', note: 'Only the test account', scope: 'repository', repo: 'acme/billing' },
    {
      key: 'APP_STORE_CONNECT_PRIVATE_KEY_PRODUCTION',
      note: 'Signs releases of the app',
      scope: 'repository',
      repo: 'acme/mobile-app',
      kind: 'file',
    },
  ];
  await each(secrets, async (secret) => {
    const { id } = await ask('POST', '/secrets', { ...secret, value: 'not a real one' });
    values['secrets/{id}'] ??= String(id);
  });

  const agents = [
    {
      name: 'Careful refactorer',
      description: 'Small steps, tests after each',
      system_prompt: 'Change structure without changing behaviour. Run the tests after each step.',
      model: 'anthropic/claude-sonnet-5',
    },
    {
      name: 'Docs writer',
      description: 'READMEs, guides and changelogs',
      system_prompt: 'Write short sentences. Show a command for each claim.',
      model: 'openai/gpt-5.2-mini',
    },
    {
      name: 'Dependency updater',
      description: 'Bumps packages and mends what breaks',
      system_prompt: 'Read the changelog of each package before you bump it.',
    },
  ];
  await each(agents, async (agent) => {
    const { id } = await ask('POST', '//agents', agent);
    values['agents/{agent_id}'] ??= String(id);
  });
  const agent = values['agents/{agent_id}'] ?? '';
  await ask('PATCH', `//agents/${agent}`, {
    system_prompt:
      'Change structure without changing behaviour. Run the tests after each step, and stop when one fails.',
    temperature: 0.2,
  });
  values['blueprints/{id}'] = agent.replace('agt_', 'bp_');
  await shop.sql(
    "update knowledge_notes set created_at = $2, updated_at = $2 where org_id = $1 and name <> 'Database migrations'",
    [shop.orgId, ago(60 * 24 * 12)],
  );
  if (people['Ada'] === undefined) throw new Error('Nobody works here.');
}

/** Creates what sessions learned by themselves. */
export async function learn(shop: Shop): Promise<void> {
  const { api, orgId, values } = shop;
  const sessionId = values['sessions/{id}'] ?? '';
  const found = [
    [
      'Tests of invoices need a time zone',
      'tests that compare dates of invoices',
      'Set `TZ=UTC`; on some machines the tests fail by one day otherwise.',
    ],
    [
      '`make check` runs the tests',
      'how to check a change',
      'It runs the linter and the tests of changed packages only.',
    ],
  ] as const;
  await each(found, ([name, trigger, body]) =>
    addSuggestion(api.ctx, orgId, { sessionId, name, trigger, body, repo: 'acme/billing' }),
  );
  await each([18, 9, 7, 0, 3, 1], async (uses, note) =>
    shop.sql('update knowledge_notes set use_count = $2, last_used_at = $3 where id = $1', [
      values[`note ${note}`],
      uses,
      uses === 0 ? null : ago(60 * 31 * (note + 1)),
    ]),
  );
  const run = await runningIn(api, sessionId);
  const summary =
    '# acme/billing\n\n- TypeScript, vitest; `npm test` takes 6 s\n- invoices: src/invoices.ts, numbers by customer\n- migrations: db/migrations, forward only\n';
  await keepGenerated(api.ctx, run, { repo: 'acme/billing', provider: 'local' }, [
    { agent: 'builtin', path: 'summary.md', content: () => summary },
  ]);
}
