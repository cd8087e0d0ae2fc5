import { expect, test } from 'vitest';
import { gitlabDeliveryId, readGitlabDelivery } from './deliveries.ts';

const project = { path_with_namespace: 'acme/tools/app' };
const sha = (digit: string): string => digit.repeat(40);

const read = (payload: unknown) =>
  readGitlabDelivery({ headers: { 'x-gitlab-event': 'A Hook' }, body: Buffer.from(JSON.stringify(payload)) });

test('events of a project are read', async () => {
  const repo = 'acme/tools/app';
  const push = { project, ref: 'refs/heads/main', before: sha('0'), after: sha('b') };
  const pushed = { type: 'push', repo, ref: 'refs/heads/main', before: sha('0'), after: sha('b') };
  expect(await read({ object_kind: 'push', ...push, commits: [] })).toEqual([pushed]);
  expect(await read({ object_kind: 'tag_push', ...push, ref: 'refs/tags/v1' })).toEqual([
    { ...pushed, ref: 'refs/tags/v1' },
  ]);
  const about = { object_attributes: { iid: 7, action: 'open', sha: sha('c'), noteable_type: 'MergeRequest' } };
  expect(await read({ object_kind: 'merge_request', project, ...about })).toEqual([
    { type: 'change_request', repo, action: 'opened', number: 7 },
  ]);
  expect(await read({ object_kind: 'issue', project, object_attributes: { iid: 8, action: 'close' } })).toEqual([
    { type: 'issue', repo, action: 'changed', number: 8 },
  ]);
  expect(await read({ object_kind: 'note', project, ...about, merge_request: { iid: 7 } })).toEqual([
    { type: 'comment', repo, on: 'change_request', number: 7 },
  ]);
  expect(await read({ object_kind: 'note', project, ...about, issue: { iid: 8 } })).toMatchObject([{ on: 'issue' }]);
  expect(await read({ object_kind: 'note', project, ...about, snippet: {} })).toEqual([]);
  expect(await read({ object_kind: 'pipeline', project, ...about })).toEqual([
    { type: 'checks', repo, headSha: sha('c') },
  ]);
  expect(await read({ object_kind: 'build', project, sha: sha('c') })).toEqual([
    { type: 'checks', repo, headSha: sha('c') },
  ]);
  expect(await read({ object_kind: 'emoji', project })).toEqual([]);
});

test('long texts do not matter, and other bodies are refused', async () => {
  const long = { object_kind: 'issue', project, object_attributes: { iid: 8, description: 'x'.repeat(5_000_000) } };
  expect(await read(long)).toMatchObject([{ number: 8 }]);
  for (const payload of [{}, { object_kind: 'push' }, { object_kind: 'issue', project, object_attributes: { iid: 0 } }])
    await expect(read(payload)).rejects.toMatchObject({ retryable: false });
});

test('a repetition is known by the id that GitLab repeats', () => {
  const body = Buffer.from('');
  expect(gitlabDeliveryId({ headers: { 'idempotency-key': 'k', 'webhook-id': 'w' }, body })).toBe('k');
  expect(gitlabDeliveryId({ headers: { 'webhook-id': 'w' }, body })).toBe('w');
  // Deliveries of one chain share it.
  expect(gitlabDeliveryId({ headers: { 'x-gitlab-event-uuid': 'u' }, body })).toBe('');
});
