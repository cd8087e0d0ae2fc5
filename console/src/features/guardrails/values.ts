import type { Schemas } from '../../lib/api.ts';
import { allRules, platformDefaults, type Effective, type Origin, type Rule } from './rules.ts';

/** The rules as the form holds them; their names are those of the API, so that its issues find them. */
export interface RuleValues {
  /** The rules that are set here. */
  own: Record<Rule, boolean>;
  max_sessions_per_day: number;
  max_concurrent_sessions: number;
  max_open_change_requests: number;
  max_cost_per_session_usd: number;
  max_cost_per_day_usd: number;
  max_changed_files: number;
  max_changed_lines: number;
  max_follow_rounds: number;
  /** Patterns, one a line. */
  protected_paths: string;
  protected_branches: string;
  commands_denied: string;
  allowed_origins: Origin[];
  require_plan_approval: boolean;
  secret_scan: Effective['secret_scan'];
}

/** Returns what the form shows of rules; `here` is where they would be set. */
export function valuesOf(rules: Effective, here: 'repository' | 'organization'): RuleValues {
  const {
    sources,
    repository_id: _id,
    repo: _repo,
    protected_paths,
    protected_branches,
    commands_denied,
    ...rest
  } = rules;
  return {
    ...rest,
    own: {
      max_sessions_per_day: sources.max_sessions_per_day === here,
      max_concurrent_sessions: sources.max_concurrent_sessions === here,
      max_open_change_requests: sources.max_open_change_requests === here,
      max_cost_per_session_usd: sources.max_cost_per_session_usd === here,
      max_cost_per_day_usd: sources.max_cost_per_day_usd === here,
      max_changed_files: sources.max_changed_files === here,
      max_changed_lines: sources.max_changed_lines === here,
      max_follow_rounds: sources.max_follow_rounds === here,
      protected_paths: sources.protected_paths === here,
      protected_branches: sources.protected_branches === here,
      allowed_origins: sources.allowed_origins === here,
      require_plan_approval: sources.require_plan_approval === here,
      secret_scan: sources.secret_scan === here,
      commands_denied: sources.commands_denied === here,
    },
    protected_paths: protected_paths.join('\n'),
    protected_branches: protected_branches.join('\n'),
    commands_denied: commands_denied.join('\n'),
  };
}

/** Returns the request with the rules that are set here. */
export function requestOf({ own, ...values }: RuleValues): Schemas['ReplaceGuardrailsRequest'] {
  const all = {
    ...values,
    protected_paths: linesOf(values.protected_paths),
    protected_branches: linesOf(values.protected_branches),
    commands_denied: linesOf(values.commands_denied),
  };
  const set = allRules.filter(({ rule }) => own[rule]).map(({ rule }) => [rule, all[rule]] as const);
  return Object.fromEntries(set);
}

/** Returns what holds for each rule that is not set here. */
export function inheritedOf(here: 'repository' | 'organization', organization: Effective): Pick<Effective, Rule> {
  return here === 'repository' ? organization : platformDefaults;
}

/** Returns the lines of a text that say something. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Reads changed files, one a line: `src/a.ts +10 -2`; the numbers may be missing. */
export function filesOf(text: string): { path: string; additions: number; deletions: number }[] {
  return linesOf(text).map((line) => {
    const words = line.split(/\s+/);
    let [additions, deletions] = [0, 0];
    while (words.length > 1 && /^[+\-−]\d{1,8}$/.test(words.at(-1) ?? '')) {
      const word = words.pop() ?? '';
      if (word.startsWith('+')) additions = Number(word.slice(1));
      else deletions = Number(word.slice(1));
    }
    return { path: words.join(' '), additions, deletions };
  });
}
