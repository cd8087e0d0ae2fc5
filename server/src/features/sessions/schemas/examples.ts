import type { Examples } from '../../../http/examples.ts';
import type { DecideApproval } from './approval-schemas.ts';
import type { ChangeSessions } from './bulk-schemas.ts';
import type { MarkSessionRead } from './list-schemas.ts';
import type { CreateMessage } from './message-schemas.ts';
import type { ForkSession } from './fork-schemas.ts';
import type { CreateSessionChangeRequest } from './result-schemas.ts';
import type { CreateSession, UpdateSession } from './session-schemas.ts';

const repositories = [{ repo: 'acme/shop' }];

export const createSession: Examples<typeof CreateSession> = {
  'A prompt is enough': { prompt: 'Write a script that says which of our licenses end this year.' },
  'A bug in a repository, with the check that proves the fix': {
    prompt: 'The total of an order ignores its discount when the cart has more than one item.',
    repositories,
    verify_command: 'npm test -- test/orders.test.js',
    tags: ['bug'],
    budget: { max_cost_usd: 5, max_minutes: 60 },
  },
  'A plan that must be approved first': {
    prompt: 'Move the settings page from JavaScript to TypeScript.',
    repositories,
    require_plan_approval: true,
    deliver: 'draft',
  },
  'An answer as structured output': {
    prompt: 'Which HTTP endpoints have no test?',
    repositories,
    mode: 'ask',
    structured_output_schema: {
      type: 'object',
      properties: {
        endpoints: {
          type: 'array',
          items: {
            type: 'object',
            properties: { method: { type: 'string' }, path: { type: 'string' } },
            required: ['method', 'path'],
          },
        },
      },
      required: ['endpoints'],
    },
    structured_output_required: true,
  },
  'A secret for this session alone': {
    prompt: 'Download the prices of today and update test/prices.json.',
    repositories,
    session_secrets: [
      {
        key: 'PRICES_TOKEN',
        value: 'prices-7d1f0c52',
        exposure: 'broker',
        allowed_hosts: ['prices.example.com'],
      },
    ],
  },
};

export const updateSession: Examples<typeof UpdateSession> = {
  'A title, tags and your own reference': {
    title: 'Discount ignored in order totals',
    tags: ['bug', 'checkout'],
    metadata: { ticket: 'SHOP-142', customer_reported: true },
  },
  'Raise the budget of a session that reached its limit': { budget: { max_cost_usd: 20 } },
};

export const createMessage: Examples<typeof CreateMessage> = {
  'Delivered at the next step': { content: 'Round to cents only at the end, not for each item.' },
  'Kept for the next turn': { content: 'Then add a line to CHANGELOG.md.', delivery: 'queue' },
};

export const decideApproval: Examples<typeof DecideApproval> = {
  Unchanged: { decision: 'approve' },
  'With your edits': {
    decision: 'approve',
    edited_plan: '1. Rename settings.js to settings.ts.\n2. Type its props.\n3. Leave the other pages alone.',
  },
  'With what to plan instead': { decision: 'deny', note: 'Keep the old page until the new one is tested.' },
};

export const createChangeRequest: Examples<typeof CreateSessionChangeRequest> = {
  'A draft with its own title': { title: 'Apply the discount to every item', draft: true },
};

export const markSessionRead: Examples<typeof MarkSessionRead> = { 'Up to the event 118': { seq: 118 } };

export const changeSessions: Examples<typeof ChangeSessions> = {
  'Archive two': { ids: ['ses_01k9y3q5d3f6rr1b4a0n4m2c7e', 'ses_01k9y3q6x0c9t5w8e2v7h1j3ka'], action: 'archive' },
  'Add a tag': { ids: ['ses_01k9y3q5d3f6rr1b4a0n4m2c7e'], action: 'tag', tags: ['release'] },
};

export const forkSession: Examples<typeof ForkSession> = {
  'From its newest checkpoint, waiting for a message': {},
  'From an earlier state, with another task': { seq: 118, prompt: 'Try it without a new dependency.' },
};
