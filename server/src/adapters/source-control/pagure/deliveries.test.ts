import { expect, test } from 'vitest';
import { readPagureDelivery } from './deliveries.ts';

const user = { fullname: 'Grace', name: 'grace', url_path: 'user/grace' };
const project = { fullname: 'tools/web', name: 'web', namespace: 'tools', id: 26, tags: [], user };
const comment = { id: 5, comment: '@guildhall fix this', parent: null, notification: false, user, reactions: {} };

/** A message as Pagure's documentation shows it: the topic beside what happened. */
const read = (topic: string, about: object) => {
  const msg = { agent: 'grace', project, project_fullname: 'tools/web', ...about };
  const message = { i: 1, msg, msg_id: '2026-4c1a', timestamp: 1_795_494_377, topic };
  return readPagureDelivery({ headers: { 'x-pagure-topic': topic }, body: Buffer.from(JSON.stringify(message)) });
};

test('issues and comments are read', async () => {
  const repo = 'tools/web';
  const issue = { id: 12, title: 'Wrong', content: 'Two and two.', status: 'Open', user, comments: [comment] };
  expect(await read('issue.new', { issue })).toEqual([{ type: 'issue', repo, action: 'opened', number: 12 }]);
  expect(await read('issue.edit', { issue, fields: ['status'] })).toEqual([
    { type: 'issue', repo, action: 'changed', number: 12 },
  ]);
  expect(await read('issue.comment.added', { issue })).toEqual([{ type: 'comment', repo, on: 'issue', number: 12 }]);
  const pullrequest = { id: 7, title: 'Right it', status: 'Open', commit_stop: 'a'.repeat(40), comments: [comment] };
  expect(await read('pull-request.comment.added', { pullrequest })).toEqual([
    { type: 'comment', repo, on: 'change_request', number: 7 },
  ]);
  expect(await read('pull-request.new', { pullrequest })).toEqual([
    { type: 'change_request', repo, action: 'opened', number: 7 },
  ]);
});

test('other topics mean nothing, and other bodies are refused', async () => {
  expect(await read('project.edit', {})).toEqual([]);
  await expect(read('issue.comment.added', {})).rejects.toMatchObject({ retryable: false });
  await expect(read('issue.comment.added', { issue: { id: 0 } })).rejects.toMatchObject({ retryable: false });
});
