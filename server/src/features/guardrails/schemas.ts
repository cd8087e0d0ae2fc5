import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  named,
  NullableNumber,
  NullableTimestamp,
  OneOf,
  Principal,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { prefixesText } from '../../lib/providers.ts';
import { mapRules, origins, platformRules, ruleNames, secretScans, stages, type RuleName } from './rules.ts';

const most = 1_000_000;
const maxListItems = 200;
const maxPatternLength = 500;

const limit = Type.Integer({ minimum: 0, maximum: most });
const cost = Type.Number({ minimum: 0, maximum: most });
const patterns = Type.Array(
  Text(maxPatternLength, { minLength: 1, pattern: String.raw`\S`, 'x-form': 'a text that is not blank' }),
  {
    maxItems: maxListItems,
  },
);

const rules = {
  max_sessions_per_day: limit,
  max_concurrent_sessions: limit,
  max_open_change_requests: limit,
  max_cost_per_session_usd: cost,
  max_cost_per_day_usd: cost,
  max_changed_files: limit,
  max_changed_lines: limit,
  max_follow_rounds: limit,
  protected_paths: patterns,
  protected_branches: patterns,
  allowed_origins: Type.Array(OneOf(origins), { maxItems: origins.length }),
  require_plan_approval: Type.Boolean(),
  secret_scan: OneOf(secretScans),
  commands_denied: patterns,
};

const meanings: Record<RuleName, string> = {
  max_sessions_per_day: 'Sessions that may be created per day (UTC); 0 for no limit.',
  max_concurrent_sessions: 'Sessions that may be queued or run at once; 0 for no limit.',
  max_open_change_requests: 'Open change requests of sessions; 0 for no limit.',
  max_cost_per_session_usd: 'The highest budget of a session, and the budget of one without any; 0 for no limit.',
  max_cost_per_day_usd:
    'The cost of all sessions per day (UTC); 0 for no limit. A new session also needs room beside the rest of the budgets of those that are queued or run. A session is suspended before a model call that does not fit.',
  max_changed_files: 'Files that a session may change; 0 for no limit.',
  max_changed_lines: 'Lines that a session may add and delete together; 0 for no limit.',
  max_follow_rounds:
    'Rounds of a session that follows its change request until it merges, of all kinds together; 0 for no limit.',
  protected_paths:
    'Files that a session may not change, as globs: `*` matches any characters, including slashes. A pattern without a slash matches a name in any directory; one of a directory also matches everything in it.',
  protected_branches: 'Branches that a session may not push to, as globs.',
  allowed_origins: 'The origins of sessions; empty for any.',
  require_plan_approval: 'A session in mode "build" waits for the approval of its plan.',
  secret_scan: 'What happens if a change to push contains what looks like a secret.',
  commands_denied:
    'Commands that an agent may not run: a program, and the first arguments or options, such as `git push` or `rm -rf`; `*` matches any characters of a word. Compared with the parsed command, inside of pipes, substitutions, `sh -c`, `xargs` and the like. A command that cannot be parsed is denied too. Programs and scripts that a command starts are not inspected.',
};

export const Guardrails = record(
  'Guardrails',
  Type.Object({
    repository_id: Id,
    repo: Type.String(),
    ...rules,
    set_keys: Type.Array(OneOf(ruleNames)),
    updated_at: NullableTimestamp,
  }),
);

const sources = ['repository', 'organization', 'platform'] as const;
export type RuleSource = (typeof sources)[number];
const source = OneOf(sources);
export const EffectiveGuardrails = named(
  'EffectiveGuardrails',
  Type.Object({ repository_id: Id, repo: Type.String(), ...rules, sources: Type.Object(mapRules(() => source)) }),
);

export const ReplaceGuardrails = Body({
  max_sessions_per_day: Type.Optional(limit),
  max_concurrent_sessions: Type.Optional(limit),
  max_open_change_requests: Type.Optional(limit),
  max_cost_per_session_usd: Type.Optional(cost),
  max_cost_per_day_usd: Type.Optional(cost),
  max_changed_files: Type.Optional(limit),
  max_changed_lines: Type.Optional(limit),
  max_follow_rounds: Type.Optional(limit),
  protected_paths: Type.Optional(patterns),
  protected_branches: Type.Optional(patterns),
  allowed_origins: Type.Optional(rules.allowed_origins),
  require_plan_approval: Type.Optional(Type.Boolean()),
  secret_scan: Type.Optional(rules.secret_scan),
  commands_denied: Type.Optional(patterns),
});
export type ReplaceGuardrails = Static<typeof ReplaceGuardrails>;

const repo = Text(2_000, { description: `\`owner/name\`, optionally with the prefix ${prefixesText('`')}.` });

export const EffectiveQuery = Type.Object({ repo: Type.Optional(repo) }, { additionalProperties: false });

const Evidence = Type.Object({
  stage: OneOf(stages),
  message: Type.String(),
  used: NullableNumber,
  allowed: NullableNumber,
  items: Type.Array(Type.String()),
});

export const Violation = named(
  'Violation',
  Type.Object({
    id: Id,
    repository_id: Id,
    repo: Type.String(),
    rule: OneOf(ruleNames),
    action: OneOf(['warned', 'blocked', 'killed']),
    session_id: Id,
    evidence: Evidence,
    count: Type.Integer({ minimum: 1 }),
    created_at: Timestamp,
    acknowledged_by: Type.Union([Principal, Type.Null()]),
    acknowledged_at: NullableTimestamp,
  }),
);

export const ViolationQuery = ListQuery({
  repo: Type.Optional(repo),
  rule: Type.Optional(Text(1_000, { description: 'One rule, or several separated by commas.' })),
  session_id: Type.Optional(Text(1_000, { description: 'One session, or several separated by commas.' })),
});
export type ViolationQuery = Static<typeof ViolationQuery>;

export const EvaluateGuardrails = Body({
  repo: Type.Optional(repo),
  origin: Type.Optional(OneOf(origins)),
  budget: Type.Optional(Body({ max_cost_usd: Type.Optional(cost) })),
  commands: Type.Optional(Type.Array(Text(65_536), { maxItems: 20 })),
  branch: Type.Optional(Text(255)),
  files: Type.Optional(
    Type.Array(
      Body({
        path: Text(4_096, { minLength: 1 }),
        additions: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
        deletions: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
        content: Type.Optional(Text(262_144)),
      }),
      { maxItems: 1_000 },
    ),
  ),
  opens_change_request: Type.Optional(Type.Boolean()),
});
export type EvaluateGuardrails = Static<typeof EvaluateGuardrails>;

export const GuardrailEvaluation = named(
  'GuardrailEvaluation',
  Type.Object({
    allowed: Type.Boolean(),
    require_plan_approval: Type.Boolean(),
    findings: Type.Array(
      Type.Object({ rule: OneOf(ruleNames), action: OneOf(['warned', 'blocked']), ...Evidence.properties }),
    ),
  }),
);

const findingMeanings = {
  stage: 'The point at which the rule was checked.',
  message: 'What is wrong, and what to do.',
  used: 'The value at that time; null for a rule without a limit.',
  allowed: 'The limit; null for a rule without one.',
  items: 'Paths, lines or commands, at most 20, with secrets masked.',
};
const prefixed = (prefix: string) =>
  Object.fromEntries(Object.entries(findingMeanings).map(([key, text]) => [`${prefix}.${key}`, text]));

explain(['Guardrails', 'EffectiveGuardrails', 'ReplaceDefaultGuardrailsRequest'], meanings);
explain(
  'ReplaceGuardrailsRequest',
  mapRules((name) => `${meanings[name]} Inherited if omitted.`),
);
explain(['Guardrails', 'EffectiveGuardrails'], {
  repository_id: 'The repository; "" for the default of the organization.',
  repo: '`owner/name`; "" for the default of the organization.',
});
explain('Guardrails', {
  set_keys: 'The rules that are set here; all others are inherited.',
  updated_at: 'The time of the last change; null if nothing is set here.',
});
explain('EffectiveGuardrails', {
  sources: 'Where each rule is set.',
  ...Object.fromEntries(ruleNames.map((name) => [`sources.${name}`, `Where \`${name}\` is set.`])),
});
explain('Violation', {
  repository_id: 'The repository; "" for a session without one.',
  repo: 'The repository at that time, as `owner/name`; "" for none.',
  rule: 'The rule that was violated.',
  action:
    '`warned`: it was allowed. `blocked`: it was prevented, and nothing else. `killed`: the session ended because of it.',
  session_id: 'The session; "" if it was not created.',
  evidence: 'What happened, without secrets.',
  count: 'How often it happened within a minute.',
  acknowledged_by: 'Who acknowledged it; null while nobody did.',
  acknowledged_at: 'When it was acknowledged; null while it was not.',
  ...prefixed('evidence'),
});
explain('EvaluateGuardrailsRequest', {
  repo: 'The repository; without it, the default of the organization is evaluated.',
  origin: 'The origin of the session.',
  budget: "The session's budget; by default that of any session.",
  'budget.max_cost_usd': 'The highest cost of the session in US dollars; by default that of any session.',
  commands: 'Commands of the agent.',
  branch: 'The branch to push to.',
  files: 'The changed files.',
  'files.path': 'The path in the repository.',
  'files.additions': 'Number of added lines.',
  'files.deletions': 'Number of deleted lines.',
  'files.content': 'The new content, to scan it for secrets.',
  opens_change_request: 'True if a change request would be opened.',
});
defaults('EvaluateGuardrailsRequest', {
  repo: '',
  origin: 'api',
  budget: {},
  commands: [],
  branch: '',
  files: [],
  'files.additions': 0,
  'files.deletions': 0,
  'files.content': '',
  opens_change_request: false,
});
explain('GuardrailEvaluation', {
  allowed: 'True if nothing would be blocked.',
  require_plan_approval: 'True if a session would wait for the approval of its plan.',
  findings: 'Everything that would be blocked or warned about.',
  'findings.rule': 'The rule.',
  'findings.action': '`blocked` or `warned`.',
  ...prefixed('findings'),
});
defaults('ReplaceDefaultGuardrailsRequest', { ...platformRules });
