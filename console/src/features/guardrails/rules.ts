import type { Schemas } from '../../lib/api.ts';
import { count, money } from '../../lib/format.ts';

export type Effective = Schemas['EffectiveGuardrails'];
export type Violation = Schemas['Violation'];
export type Rule = keyof Effective['sources'];
export type Source = Effective['sources'][Rule];
export type Origin = Effective['allowed_origins'][number];

type Kind = 'limit' | 'cost' | 'patterns' | 'origins' | 'yes' | 'scan';

/** A rule: what it is called, how it is entered, and what it does. */
export interface RuleInfo {
  rule: Rule;
  label: string;
  kind: Kind;
  hint: string;
}

/** All rules, in groups. */
export const ruleGroups: readonly { title: string; rules: readonly RuleInfo[] }[] = [
  {
    title: 'How much',
    rules: [
      { rule: 'max_sessions_per_day', label: 'Sessions per day', kind: 'limit', hint: 'Days in UTC. 0: no limit.' },
      {
        rule: 'max_concurrent_sessions',
        label: 'Sessions at once',
        kind: 'limit',
        hint: 'Queued or running. 0: no limit.',
      },
      {
        rule: 'max_open_change_requests',
        label: 'Open change requests',
        kind: 'limit',
        hint: 'Of sessions. 0: no limit.',
      },
      {
        rule: 'max_cost_per_session_usd',
        label: 'Cost of a session',
        kind: 'cost',
        hint: 'US dollars. The highest budget of a session. 0: no limit.',
      },
      {
        rule: 'max_cost_per_day_usd',
        label: 'Cost per day',
        kind: 'cost',
        hint: 'US dollars, of all sessions, days in UTC. 0: no limit.',
      },
    ],
  },
  {
    title: 'What a session may change',
    rules: [
      { rule: 'max_changed_files', label: 'Changed files', kind: 'limit', hint: 'Of one session. 0: no limit.' },
      {
        rule: 'max_changed_lines',
        label: 'Changed lines',
        kind: 'limit',
        hint: 'Added and deleted together. 0: no limit.',
      },
      {
        rule: 'max_follow_rounds',
        label: 'Rounds until a merge',
        kind: 'limit',
        hint: 'How often a session is sent back to its change request. 0: no limit.',
      },
      {
        rule: 'protected_paths',
        label: 'Protected files',
        kind: 'patterns',
        hint: 'One pattern a line, such as .github/* or *.pem; * is any text, also with slashes.',
      },
      {
        rule: 'protected_branches',
        label: 'Protected branches',
        kind: 'patterns',
        hint: 'One pattern a line, such as main or release/*.',
      },
      {
        rule: 'secret_scan',
        label: 'A change with what looks like a secret',
        kind: 'scan',
        hint: 'Checked before a push.',
      },
    ],
  },
  {
    title: 'How it works',
    rules: [
      { rule: 'allowed_origins', label: 'Who may start sessions', kind: 'origins', hint: 'None ticked: any origin.' },
      {
        rule: 'require_plan_approval',
        label: 'Wait for the approval of the plan',
        kind: 'yes',
        hint: 'Of sessions that change code.',
      },
      {
        rule: 'commands_denied',
        label: 'Denied commands',
        kind: 'patterns',
        hint: 'One a line: a program with its first arguments, such as git push or rm -rf.',
      },
    ],
  },
];

export const allRules: readonly RuleInfo[] = ruleGroups.flatMap(({ rules }) => rules);

export function ruleLabel(rule: string): string {
  return allRules.find((one) => one.rule === rule)?.label ?? rule;
}

export const origins: readonly (readonly [Origin, string])[] = [
  ['console', 'Console'],
  ['api', 'API'],
  ['cli', 'Command line'],
  ['mcp', 'MCP'],
  ['automation', 'Automations'],
  ['review', 'Reviews'],
  ['session', 'Other sessions'],
];

export const scans = [
  ['block', 'Block it'],
  ['warn', 'Warn, and let it pass'],
  ['off', 'Do not look'],
] as const;

/** What holds where neither a repository nor the organization says anything. */
export const platformDefaults: Pick<Effective, Rule> = {
  max_sessions_per_day: 0,
  max_concurrent_sessions: 0,
  max_open_change_requests: 0,
  max_cost_per_session_usd: 0,
  max_cost_per_day_usd: 0,
  max_changed_files: 0,
  max_changed_lines: 0,
  max_follow_rounds: 0,
  protected_paths: [],
  protected_branches: [],
  allowed_origins: [],
  require_plan_approval: false,
  secret_scan: 'block',
  commands_denied: [],
};

/** Returns the value of a rule in words. */
export function ruleValue({ rule, kind }: RuleInfo, rules: Pick<Effective, Rule>): string {
  const value = rules[rule];
  if (Array.isArray(value)) {
    if (value.length === 0) return kind === 'origins' ? 'any' : 'none';
    return value.map((one) => origins.find(([id]) => id === one)?.[1] ?? one).join(', ');
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return scans.find(([id]) => id === value)?.[1] ?? value;
  if (value === 0) return 'no limit';
  return kind === 'cost' ? money(value) : count(value);
}

/** Where a rule is set. */
export function sourceWord(source: Source): string {
  const words: Record<Source, string> = {
    repository: 'set for this repository',
    organization: 'set for the organization',
    platform: 'default of the platform',
  };
  return words[source];
}

/** When a rule was checked. */
export function stageWord(stage: Violation['evidence']['stage']): string {
  const words: Record<Violation['evidence']['stage'], string> = {
    create: 'when a session was created',
    dispatch: 'before the session started',
    model_call: 'before a model call',
    tool_call: 'before a tool call',
    push: 'before a push',
    change_request: 'before a change request',
  };
  return words[stage];
}

/** What became of it: its word and tone. */
export function actionWord(action: Violation['action']): { word: string; tone: 'wait' | 'bad' } {
  if (action === 'warned') return { word: 'Warned', tone: 'wait' };
  return action === 'killed' ? { word: 'Ended the session', tone: 'bad' } : { word: 'Blocked', tone: 'bad' };
}
