import { expect, test } from 'vitest';
import { choiceOf, valuesOf } from './notification-choice.ts';

test('a choice survives the form', () => {
  const choice = {
    email: ['session.needs_you', 'session.failed', 'change_request.ready'],
    slack: ['session.finished', 'change_request.needs_you', 'change_request.ended'],
    slack_secret: 'HOOK',
  };
  expect(choiceOf(valuesOf(choice))).toEqual(choice);
});

test('what is no choice ticks nothing', () => {
  for (const stored of [{}, { email: 'session.failed', slack: [1], slack_secret: 3 }])
    expect(choiceOf(valuesOf(stored))).toEqual({ email: [], slack: [], slack_secret: '' });
});
