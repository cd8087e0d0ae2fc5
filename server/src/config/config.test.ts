import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { bucketOf } from './places.ts';
import { unknownVariables } from './names.ts';
import { UsageError } from './values.ts';
import type { ModelKind } from '../lib/models.ts';

const read = (environment: Record<string, string>, args: string[] = []) => readConfig(args, environment);

/** Returns everything that is configured: name, kind, URL and key. */
async function configured(environment: Record<string, string>): Promise<unknown[][]> {
  const { providers } = read({ ...environment, GUILDHALL_MODEL: 'openai/x' }, ['--role', 'api']).models;
  return Promise.all(providers.map(async ({ name, kind, url, key }) => [name, kind, url, await key()]));
}

describe('models', () => {
  test('none is configured by default', () => {
    const { models } = read({});
    expect(models.providers).toEqual([]);
    expect(models.defaultModel).toBeUndefined();
    expect(models.prices.size).toBe(0);
  });

  test.each<[Record<string, string>, ModelKind, string]>([
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic', 'https://api.anthropic.com/v1'],
    [{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://a/x' }, 'anthropic', 'http://a/x/v1'],
    [{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://a/v1/' }, 'anthropic', 'http://a/v1'],
    [{ OPENAI_API_KEY: ' k ' }, 'openai', 'https://api.openai.com/v1'],
    [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://o:1/api/' }, 'openai_compatible', 'http://o:1/api'],
    [
      { GOOGLE_GENERATIVE_AI_API_KEY: 'k', GEMINI_API_KEY: 'other' },
      'google',
      'https://generativelanguage.googleapis.com/v1beta',
    ],
    [{ GEMINI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_BASE_URL: 'http://g' }, 'google', 'http://g/v1beta'],
    [{ GEMINI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_BASE_URL: 'http://g/v1beta' }, 'google', 'http://g/v1beta'],
  ])('%j is %s at %s', async (environment, kind, url) => {
    const name = kind === 'openai_compatible' ? 'openai' : kind;
    expect(await configured(environment)).toEqual([[name, kind, url, 'k']]);
  });

  test('a server of one’s own may need no key', async () => {
    const url = 'http://127.0.0.1:11434/v1';
    expect(await configured({ OPENAI_BASE_URL: url, OPENAI_API_KEY: '' })).toEqual([
      ['openai', 'openai_compatible', url, ''],
    ]);
  });

  test.each<[Record<string, string>, string]>([
    [{ ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'anthropic/claude-sonnet-5'],
    [{ OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'openai/gpt-6-sol'],
    [{ GEMINI_API_KEY: 'k', OPENAI_BASE_URL: 'http://o/v1' }, 'google/gemini-3.8-flash'],
    [{ ANTHROPIC_API_KEY: 'k', GUILDHALL_MODEL: 'claude-haiku-4-5' }, 'anthropic/claude-haiku-4-5'],
    [{ OPENAI_BASE_URL: 'http://o/v1', GUILDHALL_MODEL: 'qwen/qwen3' }, 'openai/qwen/qwen3'],
    [{ OPENAI_BASE_URL: 'http://o/v1', GUILDHALL_MODEL: 'openai-compatible/qwen3' }, 'openai/qwen3'],
  ])('%j makes %s the default', (environment, model) => {
    const { provider, name } = read(environment).models.defaultModel ?? {};
    expect(`${provider}/${name}`).toBe(model);
  });

  test('an API process knows the default without the keys, which only workers have', () => {
    const { models } = read({ GUILDHALL_MODEL: 'anthropic/claude-sonnet-5' }, ['--role', 'api']);
    expect(models.defaultModel).toEqual({ provider: 'anthropic', name: 'claude-sonnet-5' });
    const former = read({ GUILDHALL_MODEL: 'openai-compatible/qwen/qwen3' }, ['--role', 'api']).models;
    expect(former.defaultModel).toEqual({ provider: 'openai', name: 'qwen/qwen3' });
  });

  test('prices are per million tokens, by model', () => {
    const prices = { 'openai/qwen/qwen3': { input: 0.2, output: 0.6, cached_input: 0.05 } };
    const { models } = read({ GUILDHALL_MODEL_PRICES: JSON.stringify(prices) });
    expect(Object.fromEntries(models.prices)).toEqual(prices);
  });

  test('prices of openai may call it openai-compatible, as it was once', () => {
    const { models } = read({ GUILDHALL_MODEL_PRICES: '{"openai-compatible/qwen3":{"input":1,"output":2}}' });
    expect([...models.prices]).toEqual([['openai/qwen3', { input: 1, output: 2 }]]);
  });

  test.each<[string, string, string]>([
    [
      'GUILDHALL_MODEL',
      'foo',
      'GUILDHALL_MODEL is "foo", which cannot be used. No model provider is configured. Start Guildhall with one of',
    ],
    ['GUILDHALL_MODEL_PRICES', '{', 'GUILDHALL_MODEL_PRICES must be JSON such as'],
    ['GUILDHALL_MODEL_PRICES', '{"openai/a":{"input":-1,"output":1}}', 'in US dollars per million'],
    ['GUILDHALL_MODEL_PRICES', '{"openai/a":{"input":1,"output":1,"cached":1}}', 'in US dollars per million'],
    ['GUILDHALL_MODEL_PRICES', '{"gpt":{"input":1,"output":1}}', 'has "gpt"; it must be <provider>/<name>'],
    ['OPENAI_BASE_URL', 'localhost:11434', 'OPENAI_BASE_URL is "localhost:11434"; it must be an http or https URL'],
    ['OPENAI_BASE_URL', 'http://me:hunter2@host/v1', 'OPENAI_BASE_URL must be an http or https URL without user'],
    ['ANTHROPIC_BASE_URL', 'http://host/?key=1', 'ANTHROPIC_BASE_URL'],
    ['GUILDHALL_BLOBS', 's3://', 'GUILDHALL_BLOBS is "s3://"; it must be a directory or s3://<bucket>'],
    ['GUILDHALL_BLOBS', 'gs://bucket', 'it must be a directory or s3://<bucket>[/<prefix>].'],
    ['GUILDHALL_REPOSITORIES', 's3://bucket', 'GUILDHALL_REPOSITORIES is "s3://bucket"; it must be a directory.'],
    ['GUILDHALL_KEY_RING', 'arn:aws:kms:eu-west-1:1:key/2', 'it must be a file, env:<variable> or aws-kms:<key ARN>'],
    ['GUILDHALL_URL', 'ftp://host', 'GUILDHALL_URL is "ftp://host"; it must be an http or https URL without user'],
    ['GUILDHALL_URL', 'https://me:hunter2@host', 'GUILDHALL_URL must be an http or https URL without user, password'],
    ['GUILDHALL_URL', 'https://host/?a=b', 'GUILDHALL_URL is'],
    ['GUILDHALL_EGRESS_ALLOW', 'git=host', 'it must be <purpose>=<CIDR or host:port>'],
    ['GUILDHALL_EGRESS_ALLOW', 'git=10.0.0.0/33', 'GUILDHALL_EGRESS_ALLOW has "git=10.0.0.0/33"'],
    ['GUILDHALL_EGRESS_ALLOW', 'git=host:65536', 'GUILDHALL_EGRESS_ALLOW has'],
    [
      'GUILDHALL_RATE_LIMIT',
      '5:0',
      'GUILDHALL_RATE_LIMIT is "5:0"; it must be <per second>[:<burst>], with a burst of at least 1',
    ],
    ['GUILDHALL_LOG_LEVEL', 'trace', 'it must be one of debug, info, warn, error, fatal.'],
    ['GUILDHALL_ADMIN_EMAIL', 'zzz', 'GUILDHALL_ADMIN_EMAIL is "zzz"; it must be an e-mail address.'],
    ['GEMINI_API_KEY', 'hunter2\nhunter2', 'GEMINI_API_KEY has characters that no key has'],
  ])('%s=%s is refused', (variable, value, problem) => {
    const refused = (): unknown => read({ [variable]: value });
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(problem);
    expect(refused).not.toThrow('hunter2');
  });

  test.each([
    ['/var/blobs', undefined],
    ['s3://bucket', { bucket: 'bucket', prefix: '' }],
    ['s3://my.bucket-1/', { bucket: 'my.bucket-1', prefix: '' }],
    ['s3://bucket/guildhall/blobs/', { bucket: 'bucket', prefix: 'guildhall/blobs/' }],
  ])('blobs at %s', (value, bucket) => {
    expect(bucketOf(value)).toEqual(bucket);
  });

  test.each(['s3://', 's3://B', 's3://bucket/a b', 's3://bucket?x'])('blobs cannot be at %s', (value) => {
    expect(() => bucketOf(value)).toThrow(UsageError);
  });

  test('a key shows in nothing that prints the configuration, and tools are not handed it', () => {
    const key = 'hunter2-hunter2';
    const config = read({ ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, GEMINI_API_KEY: key, HOME: '/root' });
    expect(JSON.stringify(config)).not.toContain(key);
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain(key);
    expect(config.environment).toEqual({ HOME: '/root' });
  });
});

test('the most that sandboxes may have is what the operator says of each limit', () => {
  const max = (value: string) => read({ GUILDHALL_SANDBOX_MAX: value }).sandboxMax;
  expect(max('')).toEqual({});
  expect(max('memory_mb=8192, cpu=1.5,pids=2048')).toEqual({ memory_mb: 8_192, cpu: 1.5, pids: 2_048 });
  for (const wrong of ['memory=1', 'memory_mb', 'memory_mb=-1', 'memory_mb=63', 'pids=64.5', 'cpu=0', 'disk_mb=1e9'])
    expect(() => max(wrong)).toThrow(/GUILDHALL_SANDBOX_MAX has .*memory_mb/);
});

test('no flag may be empty', () => {
  for (const flag of ['port', 'data', 'role', 'processes']) {
    const refused = (): unknown => read({}, [`--${flag}`, '']);
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(`--${flag}`);
  }
  expect(() => read({}, ['--data', ' '])).toThrow('--data is " "; it must be a directory.');
});

test('a worker prepares as many sandboxes as the operator says', () => {
  const prepared = (value: string) => read({ GUILDHALL_PREPARED_SANDBOXES: value }).preparedSandboxes;
  expect(prepared('')).toBeLessThanOrEqual(2);
  expect([prepared('0'), prepared('7')]).toEqual([0, 7]);
  for (const wrong of ['-1', '101', 'two']) expect(() => prepared(wrong)).toThrow(/GUILDHALL_PREPARED_SANDBOXES/);
});

test('what an organization may keep, and what stays free, are bytes with or without a unit', () => {
  const max = (value: string) => read({ GUILDHALL_STORAGE_MAX: value }).storageMax;
  expect(max('')).toBe(100 * 1024 ** 3);
  for (const [value, bytes] of Object.entries({
    0: 0,
    1000: 1_000,
    '500MiB': 500 * 1024 ** 2,
    '1.5 TiB': 1.5 * 1024 ** 4,
  }))
    expect(max(value)).toBe(bytes);
  for (const wrong of ['100 GB', '-1', '1e9', 'GiB', '99999999TiB'])
    expect(() => max(wrong)).toThrow(/GUILDHALL_STORAGE_MAX is ".*KiB, MiB, GiB or TiB/);
  expect(read({}).diskReserve).toBe(1024 ** 3);
  expect(read({ GUILDHALL_DISK_RESERVE: '20GiB' }).diskReserve).toBe(20 * 1024 ** 3);
  expect([read({}).cloneMax, read({ GUILDHALL_CLONE_MAX: '1GiB' }).cloneMax]).toEqual([16 * 1024 ** 3, 1024 ** 3]);
  expect([read({}).cacheMax, read({ GUILDHALL_CACHE_MAX: '0' }).cacheMax]).toEqual([50 * 1024 ** 3, 0]);
});

test('an empty variable is an unset one', () => {
  const names = `HOST PORT DATA ROLE URL METRICS_PORT BLOBS REPOSITORIES KEY_RING SANDBOX SANDBOX_MAX STORAGE_MAX DISK_RESERVE CACHE_MAX CLONE_MAX SLOTS
    TRUSTED_PROXIES RATE_LIMIT ADMIN_EMAIL EGRESS_ALLOW REGISTRY_FILES MODEL MODEL_PRICES LOG_LEVEL SMTP_URL OIDC_ISSUER OIDC_CLIENT_ID OIDC_GROUPS`;
  const empty = names.split(/\s+/).map((name) => [`GUILDHALL_${name}`, '']);
  const environment = Object.fromEntries([...empty, ['DATABASE_URL', ''], ['AWS_ENDPOINT_URL', '']]);
  const comparable = (variables: Record<string, string>): unknown => ({
    ...JSON.parse(JSON.stringify(read(variables))),
    processId: '',
  });
  expect(comparable(environment)).toEqual(comparable({}));
  expect(comparable({ ...environment, GUILDHALL_BLOBS: '  ' })).toEqual(comparable({}));
});

test('every variable that is read is a known one', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.includes('.test'));
  const text = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('');
  const named = new Set(text.match(/GUILDHALL_[A-Z_]+[A-Z]/g));
  expect(named.size).toBeGreaterThan(20);
  expect(unknownVariables(Object.fromEntries([...named].map((name) => [name, '1'])), [])).toEqual([]);
});

test('the log is text on a terminal and JSON elsewhere, unless told', () => {
  expect(read({}).logFormat).toBe('json');
  expect(readConfig([], {}, true).logFormat).toBe('text');
  expect(readConfig(['--json'], {}, true).logFormat).toBe('json');
  expect(readConfig([], { GUILDHALL_LOG_FORMAT: 'json' }, true).logFormat).toBe('json');
});

describe('how people come in', () => {
  const provider = { GUILDHALL_OIDC_ISSUER: 'https://id.example', GUILDHALL_OIDC_CLIENT_ID: 'x' };

  test('by password alone, and without mail, unless told', () => {
    expect([read({}).oidc, read({}).smtp]).toEqual([undefined, undefined]);
  });

  test('mail comes from the host of the public address unless told', () => {
    const mail = { GUILDHALL_SMTP_URL: 'smtp://me:hunter2@mail.example:587' };
    expect(read(mail).smtp?.from).toBe('Guildhall <guildhall@localhost>');
    expect(read({ ...mail, GUILDHALL_URL: 'https://guild.example' }).smtp?.from).toContain('<guildhall@guild.example>');
    expect(read({ ...mail, GUILDHALL_SMTP_FROM: 'a@b.example' }).smtp?.from).toBe('a@b.example');
    expect(read(mail).smtp?.url()).toBe(mail.GUILDHALL_SMTP_URL);
  });

  test('groups map to organizations, whatever signs are in their names', () => {
    const groups = 'cn=a:b=acme:admin, staff=acme:viewer';
    expect(read({ ...provider, GUILDHALL_OIDC_GROUPS: groups }).oidc).toMatchObject({
      name: 'id.example',
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      groups: [
        { group: 'cn=a:b', organization: 'acme', permission: 'admin' },
        { group: 'staff', organization: 'acme', permission: 'viewer' },
      ],
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ GUILDHALL_SMTP_URL: 'http://me:hunter2@mail' }, 'GUILDHALL_SMTP_URL must be smtp://'],
    [{ GUILDHALL_SMTP_URL: 'smtp://mail', GUILDHALL_SMTP_FROM: 'nobody' }, 'GUILDHALL_SMTP_FROM is "nobody"'],
    [{ ...provider, GUILDHALL_OIDC_ISSUER: 'http://id.example' }, 'it must be an https URL'],
    [{ ...provider, GUILDHALL_OIDC_CLIENT_ID: '' }, 'needs GUILDHALL_OIDC_CLIENT_ID'],
    [{ ...provider, GUILDHALL_OIDC_ISSUER: '' }, 'GUILDHALL_OIDC_CLIENT_ID needs GUILDHALL_OIDC_ISSUER'],
    [{ ...provider, GUILDHALL_OIDC_SCOPES: 'email' }, 'openid must be among them'],
    [{ ...provider, GUILDHALL_OIDC_GROUPS: 'staff=acme' }, 'it must be <group>=<organization>:<permission>'],
    [{ ...provider, GUILDHALL_OIDC_GROUPS: 'staff=acme:owner' }, 'one of admin, member, viewer'],
  ])('%j is refused', (environment, problem) => {
    expect(() => read(environment)).toThrow(problem);
    expect(() => read(environment)).not.toThrow('hunter2');
  });

  test('secrets show in nothing that prints the configuration, and tools are not handed them', () => {
    const secret = 'hunter2-hunter2';
    const config = read({
      ...provider,
      GUILDHALL_OIDC_CLIENT_SECRET: secret,
      GUILDHALL_SMTP_URL: `smtp://me:${secret}@mail.example`,
    });
    expect(JSON.stringify(config)).not.toContain(secret);
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain(secret);
    expect(config.oidc?.clientSecret()).toBe(secret);
  });
});
