import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../src/app/api.ts';
import { readConfig } from '../../src/config/config.ts';
import { createContext, type Context } from '../../src/app/context.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import { startChainer } from '../../src/features/audit-logs/chain.ts';
import { bootstrap } from '../../src/features/organizations/service.ts';
import { createLog } from '../../src/lib/log.ts';
import { watchedConsumers } from './consumers.ts';
import { createTestDatabase } from './database.ts';

/** A response, read completely. `json` is `{}` unless the body is a JSON object. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
}

export interface CallOptions {
  /** By default the administrator's key; `''` for none. */
  key?: string;
  body?: unknown;
  /** Sent unchanged, by default with `content-type: application/json`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  /** Redirects are followed by default. */
  redirect?: 'manual';
}

export interface TestApi {
  ctx: Context;
  url: string;
  /** The key of the administrator of `default`. */
  adminKey: string;
  connectionString: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates another organization, with a key that has every scope there. */
  createOrganization(name: string): Promise<{ id: string; slug: string; key: string }>;
  /** Returns a service user's key with exactly these scopes. */
  keyWith(scopes: string[]): Promise<string>;
  /** Starts another API process on the same database and directories; close it before this one. */
  another(environment?: Record<string, string>): Promise<TestApi>;
  close(): Promise<void>;
}

/**
 * Starts the whole API on a free port and an empty database, without a worker. `logTo` is a file descriptor for its
 * log.
 */
export async function startTestApi(environment: Record<string, string> = {}, logTo?: number): Promise<TestApi> {
  const database = await createTestDatabase();
  const data = await mkdtemp(join(tmpdir(), 'guildhall-test-'));
  const clean = async (): Promise<void> => {
    await database.drop();
    await rm(data, { recursive: true, force: true });
  };
  return startProcess(database.connectionString, data, environment, clean, '', logTo);
}

async function startProcess(
  connectionString: string,
  data: string,
  environment: Record<string, string>,
  clean: () => Promise<void>,
  firstKey = '',
  logTo?: number,
): Promise<TestApi> {
  const closing = new AbortController();
  const config = readConfig(['--port', '0', '--data', data], {
    DATABASE_URL: connectionString,
    GUILDHALL_LOG_LEVEL: 'fatal',
    GUILDHALL_RATE_LIMIT: '0',
    GUILDHALL_ORGANIZATIONS_PER_PERSON: '0',
    ...environment,
  });
  let url = '';
  const { context: ctx, close } = await createContext(config, {
    log: createLog(config.logLevel, logTo),
    connectionString: config.databaseUrl,
    closing: closing.signal,
    baseUrl: () => (config.url === '' ? url : config.url),
  });
  const first = await bootstrap(ctx, 'admin@localhost', async () => undefined);
  const adminKey = first.key === '' ? firstKey : first.key;
  const stopChainer = startChainer(ctx);
  const { watched, requireNoDefects } = watchedConsumers();
  const stopOutbox = await startOutbox(ctx, watched);
  const app = await createApi(ctx, () => undefined);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  const call = (method: string, path: string, options?: CallOptions) => send(url, adminKey, method, path, options);
  return {
    ctx,
    url,
    adminKey,
    connectionString,
    call,
    async createOrganization(name) {
      const { json } = await call('POST', '/v3/organizations', { body: { name } });
      return { id: String(json['id']), slug: String(json['slug']), key: String(json['key']) };
    },
    async keyWith(scopes) {
      const user = await call('POST', '/v3/organizations/default/service-users', { body: { name: 'machine' } });
      const path = `/v3/organizations/default/service-users/${String(user.json['id'])}/keys`;
      const issued = await call('POST', path, { body: { name: 'key', scopes } });
      return String(issued.json['key']);
    },
    another: (more = {}) =>
      startProcess(connectionString, data, { ...environment, ...more }, async () => undefined, adminKey),
    async close() {
      closing.abort();
      await app.close();
      await stopChainer();
      await stopOutbox();
      await close();
      await clean();
      requireNoDefects();
    },
  };
}

async function send(
  url: string,
  adminKey: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { key = adminKey, body, raw, headers = {}, redirect = 'follow' } = options;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${url}${path}`, {
    method,
    redirect,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await textOf(response);
  return { status: response.status, headers: response.headers, text, json: objectOf(text) };
}

/** Reads a response; of the organization's stream, which never ends, only the start. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.startsWith(': connected') && text.endsWith('\n\n')) break;
  }
  return text;
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
