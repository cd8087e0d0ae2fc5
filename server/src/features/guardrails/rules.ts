import { isDeepStrictEqual } from 'node:util';

export const origins = ['api', 'console', 'cli', 'mcp', 'automation', 'review', 'session'] as const;
export type Origin = (typeof origins)[number];
export const secretScans = ['block', 'warn', 'off'] as const;

/** The rules of a repository, or of an organization; the limit 0 means unlimited. */
export interface Rules {
  max_sessions_per_day: number;
  max_concurrent_sessions: number;
  max_open_change_requests: number;
  max_cost_per_session_usd: number;
  max_cost_per_day_usd: number;
  max_changed_files: number;
  max_changed_lines: number;
  max_follow_rounds: number;
  protected_paths: string[];
  protected_branches: string[];
  /** The origins of sessions; empty allows all. */
  allowed_origins: Origin[];
  require_plan_approval: boolean;
  secret_scan: (typeof secretScans)[number];
  commands_denied: string[];
}

export type RuleName = keyof Rules;

/** The rules where nobody set any. */
export const platformRules: Rules = {
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

export const ruleNames = Object.keys(platformRules).filter(isRuleName);

function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(platformRules, name);
}

/** The points at which actions are checked. */
export const stages = ['create', 'dispatch', 'model_call', 'tool_call', 'push', 'change_request'] as const;
export type Stage = (typeof stages)[number];

/** A violation that an action was or would be: `warned` is allowed. */
export interface Finding {
  rule: RuleName;
  stage: Stage;
  action: 'warned' | 'blocked';
  /** For the caller, or the agent: what is wrong, then what to do. */
  message: string;
  /** The current value and the limit, of a rule with a limit. */
  used?: number;
  allowed?: number;
  /** The places: paths, lines, commands; never a secret. */
  items?: readonly string[];
}

/** Returns the rules in effect, from the stored ones of the organization and of a repository. */
export function inEffect(ofOrganization: Partial<Rules> = {}, ofRepository: Partial<Rules> = {}): Rules {
  return { ...platformRules, ...ofOrganization, ...ofRepository };
}

/** True if one of the rules is checked when a session is dispatched. */
export function holdsAtDispatch(rules: Partial<Rules>): boolean {
  const { max_concurrent_sessions = 0, max_cost_per_day_usd = 0, allowed_origins = [] } = rules;
  return max_concurrent_sessions > 0 || max_cost_per_day_usd > 0 || allowed_origins.length > 0;
}

/** Returns the names of the rules that differ. */
export function changedRules(before: Partial<Rules>, after: Partial<Rules>): RuleName[] {
  return ruleNames.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Returns an object with a value for each rule. */
export function mapRules<T>(valueOf: (name: RuleName) => T): Record<RuleName, T> {
  return {
    max_sessions_per_day: valueOf('max_sessions_per_day'),
    max_concurrent_sessions: valueOf('max_concurrent_sessions'),
    max_open_change_requests: valueOf('max_open_change_requests'),
    max_cost_per_session_usd: valueOf('max_cost_per_session_usd'),
    max_cost_per_day_usd: valueOf('max_cost_per_day_usd'),
    max_changed_files: valueOf('max_changed_files'),
    max_changed_lines: valueOf('max_changed_lines'),
    max_follow_rounds: valueOf('max_follow_rounds'),
    protected_paths: valueOf('protected_paths'),
    protected_branches: valueOf('protected_branches'),
    allowed_origins: valueOf('allowed_origins'),
    require_plan_approval: valueOf('require_plan_approval'),
    secret_scan: valueOf('secret_scan'),
    commands_denied: valueOf('commands_denied'),
  };
}
