import { expect, test } from 'vitest';
import { consumers } from '../app/consumers.ts';
import { features } from '../features/index.ts';
import { eventType } from './event-type.ts';

const actions = features.flatMap(({ audit = [] }) => audit);
const others = features.flatMap(({ events = [] }) => events);
const types = new Set([...actions.map(eventType), ...others]);

test("events have the field's names", () => {
  const found = [
    'session.create',
    'change_request.merge',
    'approval.deny',
    'git_connection.verify',
    'invite.resend',
    'secret.set_value',
    'group.members_add',
    'session.message_withdraw',
    'change_request.comment_update',
  ].map(eventType);
  expect(found).toEqual([
    'session.created',
    'change_request.merged',
    'approval.denied',
    'git_connection.verified',
    'invite.resent',
    'secret.value_set',
    'group.members_added',
    'session.message_withdrawn',
    'change_request.comment_updated',
  ]);
  expect([...types].filter((type) => !/^[a-z_]+\.[a-z_]*(ed|set|sent|taken|withdrawn)$/.test(type))).toEqual([]);
  // Each act has its own event.
  expect(types.size).toBe(new Set(actions).size + others.length);
});

test('consumers have names of their own and follow events that there are', () => {
  const names = consumers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(consumers.flatMap((consumer) => consumer.types).filter((type) => !types.has(type))).toEqual([]);
});
