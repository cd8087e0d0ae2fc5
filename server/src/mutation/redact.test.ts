import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('no text under the name of a credential is kept, at whatever depth', () => {
  const kept = redact({
    name: 'x',
    password: 'p',
    client_secret: 's',
    clientSecret: 's',
    'api-key': 'k',
    Authorization: 'Bearer x',
    session_secrets: [{ key: 'A', value: 'v' }],
    nested: { list: [{ token: 't', title: 'kept' }] },
  });
  expect(kept).toEqual({
    name: 'x',
    password: '[redacted]',
    client_secret: '[redacted]',
    clientSecret: '[redacted]',
    'api-key': '[redacted]',
    Authorization: '[redacted]',
    session_secrets: '[redacted]',
    nested: { list: [{ token: '[redacted]', title: 'kept' }] },
  });
});

test('what only sounds like one stays', () => {
  const changes = {
    max_tokens: 5,
    per_day: { tokens: 9 },
    secret_scan: 'block',
    fencing_token: 3,
    key: 'NPM_TOKEN',
    at: null,
  };
  expect(redact(changes)).toEqual(changes);
});

test('a credential inside of a text is taken out, and a long text is cut', () => {
  const key = `guild_${'0a'.repeat(24)}`;
  expect(redact({ note: `or ${key.replace('guild', 'guildmcp')}` })).toEqual({ note: 'or [redacted]' });
  expect(redact({ note: `use ${key}.`, url: 'https://user:pw@host/x' })).toEqual({
    note: 'use [redacted].',
    url: 'https://[redacted]@host/x',
  });
  expect(redact({ prompt: 'x'.repeat(2_001) })['prompt']).toBe(`${'x'.repeat(2_000)}… (2001 characters)`);
});
