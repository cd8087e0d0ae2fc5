import { expect, test } from 'vitest';
import { emptyDraft, readDraft } from './draft.ts';
import { requestOf } from './request.ts';

test('an empty draft asks for nothing but its prompt', () => {
  expect(requestOf({ ...emptyDraft, prompt: 'Do it' })).toEqual({ prompt: 'Do it', mode: 'build' });
});

test('what was entered is in the request, under the names of the API', () => {
  const draft = {
    ...emptyDraft,
    prompt: 'Do it',
    repositories: [
      { repo: 'acme/x', ref: 'next' },
      { repo: '', ref: '' },
    ],
    planFirst: true,
    deliver: 'draft' as const,
    verify: 'npm test',
    memory: 'off' as const,
    tags: 'a, b',
    secrets: [],
    maxCost: '2.5',
    files: [{ id: 'att_1', name: 'x.pdf', size: 3 }],
  };
  expect(requestOf(draft)).toEqual({
    prompt: 'Do it',
    mode: 'build',
    repositories: [{ repo: 'acme/x', ref: 'next' }],
    require_plan_approval: true,
    deliver: 'draft',
    verify_command: 'npm test',
    memory_enabled: false,
    tags: ['a', 'b'],
    secret_ids: [],
    budget: { max_cost_usd: 2.5 },
    attachment_ids: ['att_1'],
  });
  expect(requestOf({ ...draft, mode: 'ask' })).not.toHaveProperty('deliver');
});

test('secrets of the session alone and the schema of its result are in the request', () => {
  const draft = { ...emptyDraft, prompt: 'x', outputSchema: '{"type": "object"}', outputRequired: true };
  const [value, hosts] = ['v', 'a.example.com, b.example.com'];
  const secrets = [
    { key: ' TOKEN ', value, way: 'env', hosts },
    { key: 'KEY', value, way: 'broker', hosts },
  ] as const;
  expect(requestOf(draft, secrets)).toEqual({
    prompt: 'x',
    mode: 'build',
    structured_output_schema: { type: 'object' },
    structured_output_required: true,
    session_secrets: [
      { key: 'TOKEN', value, kind: 'env' },
      { key: 'KEY', value, exposure: 'broker', allowed_hosts: ['a.example.com', 'b.example.com'] },
    ],
  });
  expect(requestOf({ ...draft, outputSchema: '[]' })).toEqual({ prompt: 'x', mode: 'build' });
});

test('a stored draft of any shape becomes a draft', () => {
  expect(readDraft(null)).toEqual(emptyDraft);
  expect(readDraft({ prompt: 3, mode: 'x', repositories: 'y', files: [{ id: 1 }], secrets: ['a', 2] })).toEqual({
    ...emptyDraft,
    secrets: ['a'],
  });
  const draft = { ...emptyDraft, prompt: 'x', repositories: [{ repo: 'a/b', ref: '' }], notes: ['n'] };
  expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
});
