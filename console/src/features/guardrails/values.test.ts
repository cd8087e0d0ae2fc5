import { expect, test } from 'vitest';
import { platformDefaults, ruleValue, allRules, type Effective } from './rules.ts';
import { filesOf, requestOf, valuesOf } from './values.ts';

const effective: Effective = {
  ...platformDefaults,
  repository_id: 'repo_1',
  repo: 'acme/shop',
  max_changed_files: 9,
  protected_paths: ['.github/*', '*.pem'],
  max_cost_per_day_usd: 12.5,
  sources: {
    max_sessions_per_day: 'platform',
    max_concurrent_sessions: 'platform',
    max_open_change_requests: 'platform',
    max_cost_per_session_usd: 'platform',
    max_cost_per_day_usd: 'organization',
    max_changed_files: 'repository',
    max_changed_lines: 'platform',
    max_follow_rounds: 'platform',
    protected_paths: 'repository',
    protected_branches: 'organization',
    allowed_origins: 'platform',
    require_plan_approval: 'platform',
    secret_scan: 'platform',
    commands_denied: 'platform',
  },
};

test('only rules that are set here are sent, as they were read', () => {
  expect(requestOf(valuesOf(effective, 'repository'))).toEqual({
    max_changed_files: 9,
    protected_paths: ['.github/*', '*.pem'],
  });
  expect(requestOf(valuesOf(effective, 'organization'))).toEqual({
    max_cost_per_day_usd: 12.5,
    protected_branches: [],
  });
});

test('patterns are lines, without empty ones', () => {
  const values = valuesOf(effective, 'repository');
  expect(requestOf({ ...values, protected_paths: ' a b \n\n*.key\n' }).protected_paths).toEqual(['a b', '*.key']);
});

test('values are said in words', () => {
  const word = (rule: string) => {
    const info = allRules.find((one) => one.rule === rule);
    return info === undefined ? '' : ruleValue(info, effective);
  };
  expect(
    ['max_changed_files', 'max_cost_per_day_usd', 'max_changed_lines', 'allowed_origins', 'secret_scan'].map(word),
  ).toEqual(['9', '$12.50', 'no limit', 'any', 'Block it']);
  expect(allRules).toHaveLength(Object.keys(platformDefaults).length);
});

test('changed files have their lines beside them, or none', () => {
  expect(filesOf('src/a.ts +10 -2\nmy file.txt\n\nb +3\n+5')).toEqual([
    { path: 'src/a.ts', additions: 10, deletions: 2 },
    { path: 'my file.txt', additions: 0, deletions: 0 },
    { path: 'b', additions: 3, deletions: 0 },
    { path: '+5', additions: 0, deletions: 0 },
  ]);
});
