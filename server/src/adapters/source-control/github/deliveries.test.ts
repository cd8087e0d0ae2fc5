import { expect, test } from 'vitest';
import { requirePeer } from '../../../../test/hosts/peers.ts';
import type { HostEvent } from '../collaboration.ts';
import { githubDeliveryId, readGithubDelivery } from './deliveries.ts';

/** GitHub's own examples. */
const examples: { name: string; examples: unknown[] }[] = requirePeer('@octokit/webhooks-examples');

async function read(event: string, payload: unknown): Promise<readonly HostEvent[]> {
  return readGithubDelivery({ headers: { 'x-github-event': event }, body: Buffer.from(JSON.stringify(payload)) });
}

test("every example of GitHub's is read", async () => {
  const counts = new Map<string, number>();
  for (const { name, examples: payloads } of examples)
    for (const payload of payloads)
      for (const { type } of await read(name, payload))
        counts.set(`${name} ${type}`, (counts.get(`${name} ${type}`) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toMatchInlineSnapshot(`
    {
      "check_run checks": 9,
      "check_suite checks": 9,
      "installation connection": 7,
      "installation_repositories connection": 3,
      "issue_comment comment": 9,
      "issues issue": 29,
      "pull_request change_request": 29,
      "pull_request_review review": 4,
      "pull_request_review_comment comment": 5,
      "pull_request_review_thread comment": 3,
      "push push": 7,
      "repository repository": 4,
      "status checks": 4,
      "workflow_run checks": 5,
    }
  `);
});

test('comments of pull requests and of issues are told apart', async () => {
  const comment = (issue: object) => ({ repository: { full_name: 'acme/app' }, action: 'created', issue });
  expect(await read('issue_comment', comment({ number: 4 }))).toEqual([
    { type: 'comment', repo: 'acme/app', on: 'issue', number: 4 },
  ]);
  expect(await read('issue_comment', comment({ number: 5, pull_request: {} }))).toMatchObject([
    { on: 'change_request' },
  ]);
});

test('what is no delivery is refused, and unknown kinds are ignored', async () => {
  for (const payload of [{}, { ref: 'refs/heads/main' }, { ...Object(examples[0]?.examples[0]), ref: '../x' }])
    await expect(read('push', payload)).rejects.toMatchObject({ retryable: false });
  expect(await read('constructor', {})).toEqual([]);
  const body = Buffer.from('{"ref":');
  await expect(readGithubDelivery({ headers: { 'x-github-event': 'push' }, body })).rejects.toThrow('not valid JSON');
  expect(githubDeliveryId({ headers: { 'x-github-delivery': 'a b' }, body })).toBe('');
  expect(githubDeliveryId({ headers: { 'x-github-delivery': 'f00' }, body })).toBe('f00');
});
