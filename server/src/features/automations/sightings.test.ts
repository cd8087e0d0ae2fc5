import { expect, test } from 'vitest';
import type { HostIssue } from '../../adapters/source-control/collaboration.ts';
import type { ProviderChangeRequest } from '../../adapters/source-control/port.ts';
import { sightChangeRequest, sightIssue, sightPush } from './sightings.ts';

const sha = (digit: string): string => digit.repeat(40);
const hint = (action: string) => ({ action, before: '', after: '' });
const at = new Date('2026-11-26T12:00:00Z');

const issue: HostIssue = {
  number: 7,
  state: 'open',
  title: 'It is slow',
  body: 'Very.',
  author: { login: 'ada', isBot: false },
  labels: [],
  url: 'https://git.example.com/7',
  createdAt: at,
  updatedAt: at,
};

/** Looks at one state after another, and returns what each of them started. */
function actionsOf<T>(
  look: (seen: Record<string, unknown> | undefined, state: T) => { seen: Record<string, unknown>; action: string },
  states: T[],
) {
  let seen: Record<string, unknown> | undefined;
  return states.map((state) => {
    const found = look(seen, state);
    // As the database returns it.
    seen = JSON.parse(JSON.stringify(found.seen));
    return found.action;
  });
}

test('an issue starts what is new about it, however often it is announced', () => {
  const states: HostIssue[] = [
    issue,
    issue,
    { ...issue, labels: ['bug'] },
    { ...issue, labels: ['bug'] },
    { ...issue, labels: [], state: 'closed' },
    { ...issue, labels: [], state: 'closed', updatedAt: new Date() },
    { ...issue, state: 'open' },
    { ...issue, title: 'It is very slow' },
  ];
  const actions = actionsOf((seen, state: HostIssue) => sightIssue(seen, state, hint('opened')), states);
  expect(actions).toEqual(['opened', '', 'labeled', '', 'closed', '', 'reopened', 'updated']);
  expect(sightIssue(undefined, issue, hint('changed')).action).toBe('updated');
});

const request: ProviderChangeRequest = {
  number: 8,
  state: 'open',
  draft: false,
  title: 'Faster',
  body: '',
  headRef: 'fast',
  headSha: sha('a'),
  isFromFork: false,
  baseRef: 'main',
  mergeable: true,
  isBehind: false,
  url: 'https://git.example.com/8',
  mergeCommit: '',
  mergedAt: null,
  updatedAt: at,
};

test('a change request starts what is new about it, in any order', () => {
  const states: ProviderChangeRequest[] = [
    request,
    { ...request, headSha: sha('b') },
    { ...request, headSha: sha('b') },
    { ...request, headSha: sha('b'), state: 'merged' },
    { ...request, headSha: sha('b'), state: 'merged' },
  ];
  const actions = actionsOf(
    (seen, state: ProviderChangeRequest) => sightChangeRequest(seen, state, hint('opened')),
    states,
  );
  expect(actions).toEqual(['opened', 'updated', '', 'merged', '']);
  // The first that is heard of it is that it was merged.
  expect(sightChangeRequest(undefined, { ...request, state: 'merged' }, hint('opened')).action).toBe('merged');
});

test('an opening that is announced after a change starts what listens to openings, once', () => {
  let seen: Record<string, unknown> | undefined;
  const look = (announced: string, state: ProviderChangeRequest = request): string => {
    const found = sightChangeRequest(seen, state, hint(announced));
    seen = JSON.parse(JSON.stringify(found.seen));
    expect(found.payload['action']).toBe(found.action);
    return found.action;
  };
  expect(['changed', 'changed', 'opened', 'opened'].map((one) => look(one))).toEqual(['updated', '', 'opened', '']);
  seen = undefined;
  expect(look('changed')).toBe('updated');
  expect(look('opened', { ...request, state: 'closed' })).toBe('closed');
  expect(look('opened')).toBe('reopened');
});

test('a branch starts when its commit is another one', () => {
  const main = 'refs/heads/main';
  const actions = actionsOf(
    (seen, head: string | undefined) => sightPush(seen, main, head, { action: '', before: sha('a'), after: sha('b') }),
    [sha('b'), sha('b'), sha('c'), sha('b'), undefined, undefined],
  );
  expect(actions).toEqual(['pushed', '', 'pushed', 'pushed', 'pushed', '']);
  expect(sightPush(undefined, main, sha('b'), { action: '', before: sha('b'), after: sha('b') }).action).toBe('');
  expect(sightPush({ head: sha('0') }, 'refs/tags/v1', sha('b'), hint('')).payload).toMatchObject({
    tag: 'v1',
    branch: '',
    created: true,
  });
});
