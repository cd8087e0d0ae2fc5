import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { logLevels } from './lib/log.ts';
import {
  modelProviders,
  parseModelName,
  resolveModel,
  type ModelConfig,
  type ModelEndpoint,
  type ModelName,
  type ModelPrice,
  type ModelProviderId,
} from './lib/models.ts';

const roles = ['all', 'api', 'worker'] as const;
const sandboxes = ['auto', 'bubblewrap', 'process', 'docker', 'kubernetes'] as const;

export type Role = (typeof roles)[number];

/** Everything an operator can set. Frozen; nothing else in the server reads `process.env` or the arguments. */
export interface Config {
  readonly role: Role;
  readonly host: string;
  readonly port: number;
  /** The public base URL without a trailing slash; `''` until the listener knows its port. */
  readonly url: string;
  /** Absolute. Everything the server keeps lies below it unless another setting says otherwise. */
  readonly data: string;
  /** `''`: the embedded PostgreSQL below `data`. */
  readonly databaseUrl: string;
  readonly metricsPort: number;
  readonly blobs: string;
  readonly repositories: string;
  readonly keyRing: string;
  readonly sandbox: (typeof sandboxes)[number];
  readonly trustedProxies: readonly string[];
  /** Requests per second and key, and the burst above it; 0 is off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly adminEmail: string;
  readonly egressAllow: readonly EgressRule[];
  readonly models: ModelConfig;
  /** Sessions a worker runs at once. */
  readonly slots: number;
  readonly logLevel: (typeof logLevels)[number];
  /** Ready line and errors as JSON. */
  readonly json: boolean;
  /** What tools are asked with that have a configuration of their own: npm, pip, the search path. No model's key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names this process in leases and logs. */
  readonly processId: string;
}

export const egressPurposes = ['model', 'git', 'mcp', 'webhook', 'browser', 'http', '*'] as const;

/** One opening of a private address: `purpose=cidr` or `purpose=host:port`. */
export interface EgressRule {
  readonly purpose: (typeof egressPurposes)[number];
  readonly target: string;
}

/** A setting that cannot be used; the message names the variable, the value and what is allowed. */
export class ConfigError extends Error {}

/** Reads arguments and environment; arguments win. Throws {@link ConfigError}. */
export function readConfig(args: string[], environment: Record<string, string | undefined>): Config {
  const flags = readFlags(args);
  const text = (name: string, fallback: string): string => environment[name] ?? fallback;
  const host = text('GUILDHALL_HOST', '127.0.0.1');
  const port = integer('--port / GUILDHALL_PORT', flags.port ?? text('GUILDHALL_PORT', '7420'), 0, 65_535);
  const data = resolve(flags.data ?? text('GUILDHALL_DATA', './data'));
  const role = oneOf('--role / GUILDHALL_ROLE', flags.role ?? text('GUILDHALL_ROLE', 'all'), roles);
  const databaseUrl = text('DATABASE_URL', '');
  const url = publicUrl(text('GUILDHALL_URL', ''));
  if (role === 'worker' && databaseUrl === '')
    throw new ConfigError('A worker shares its database with the API: set DATABASE_URL.');
  if (role === 'worker' && url === '')
    throw new ConfigError('A worker reaches repositories through the API: set GUILDHALL_URL to its base URL.');
  return Object.freeze({
    role,
    host,
    port,
    url,
    data,
    databaseUrl,
    metricsPort: integer('GUILDHALL_METRICS_PORT', text('GUILDHALL_METRICS_PORT', '0'), 0, 65_535),
    blobs: text('GUILDHALL_BLOBS', resolve(data, 'blobs')),
    repositories: resolve(text('GUILDHALL_REPOSITORIES', resolve(data, 'repositories'))),
    keyRing: resolve(text('GUILDHALL_KEY_RING', resolve(data, 'key-ring'))),
    sandbox: oneOf('GUILDHALL_SANDBOX', text('GUILDHALL_SANDBOX', 'auto'), sandboxes),
    trustedProxies: list(text('GUILDHALL_TRUSTED_PROXIES', '')),
    rateLimit: rateLimit(text('GUILDHALL_RATE_LIMIT', '200:1000')),
    adminEmail: text('GUILDHALL_ADMIN_EMAIL', 'admin@localhost'),
    egressAllow: list(text('GUILDHALL_EGRESS_ALLOW', '')).map(egressRule),
    models: models((name) => text(name, '').trim(), role),
    slots: integer('GUILDHALL_SLOTS', text('GUILDHALL_SLOTS', '4'), 1, 1_000),
    logLevel: oneOf('GUILDHALL_LOG_LEVEL', text('GUILDHALL_LOG_LEVEL', 'info'), logLevels),
    json: flags.json ?? false,
    environment: Object.freeze(
      Object.fromEntries(Object.entries(environment).filter(([name]) => !modelKeys.has(name))),
    ),
    processId: `${hostname()}-${process.pid}-${createHash('sha256').update(`${data}${Date.now()}`).digest('hex').slice(0, 6)}`,
  });
}

function readFlags(args: string[]): { port?: string; data?: string; role?: string; json?: boolean } {
  try {
    const options = {
      port: { type: 'string' },
      data: { type: 'string' },
      role: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new ConfigError(
      `${error instanceof Error ? error.message : String(error)}. Usage: npm start -- [--port 7420] [--data ./data] [--role all|api|worker] [--json]`,
    );
  }
}

function parse<T extends TSchema>(schema: T, value: unknown, problem: string): Static<T> {
  if (!Value.Check(schema, value)) throw new ConfigError(problem);
  return value;
}

function integer(name: string, value: string, minimum: number, maximum: number): number {
  const problem = `${name} is ${JSON.stringify(value)}; it must be a whole number from ${minimum} to ${maximum}.`;
  return parse(Type.Integer({ minimum, maximum }), /^\d{1,10}$/.test(value) ? Number(value) : undefined, problem);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new ConfigError(`${name} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}.`);
  return found;
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function publicUrl(value: string): string {
  if (value === '') return '';
  if (!URL.canParse(value) || !['http:', 'https:'].includes(new URL(value).protocol))
    throw new ConfigError(`GUILDHALL_URL is ${JSON.stringify(value)}; it must be an http or https URL.`);
  return value.replace(/\/+$/, '');
}

function rateLimit(value: string): { perSecond: number; burst: number } {
  const match = /^(\d{1,7})(?::(\d{1,7}))?$/.exec(value);
  if (match === null)
    throw new ConfigError(`GUILDHALL_RATE_LIMIT is ${JSON.stringify(value)}; it must be <per second>[:<burst>].`);
  const perSecond = Number(match[1]);
  return { perSecond, burst: match[2] === undefined ? perSecond * 5 : Number(match[2]) };
}

function egressRule(value: string): EgressRule {
  const [purpose = '', target = ''] = value.split(/=(.*)/s);
  const known = egressPurposes.find((candidate) => candidate === purpose);
  if (known === undefined || target === '')
    throw new ConfigError(
      `GUILDHALL_EGRESS_ALLOW has ${JSON.stringify(value)}; it must be <purpose>=<CIDR or host:port> with a purpose of ${egressPurposes.join(', ')}.`,
    );
  return { purpose: known, target };
}

const modelKeys = new Set(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']);

/** Able to write code and priced in the middle, as of the AI SDK and the price list that are installed. */
const defaultModels: Partial<Record<ModelProviderId, string>> = {
  anthropic: 'claude-sonnet-5',
  openai: 'gpt-6-sol',
  google: 'gemini-3.8-flash',
};

/** `read` answers `''` for a variable that is not set. */
function models(read: (name: string) => string, role: Role): ModelConfig {
  const endpoints = Object.freeze(modelEndpoints(read));
  const first = modelProviders.find((provider) => endpoints[provider] !== undefined);
  const name = first === undefined ? undefined : defaultModels[first];
  const wanted = read('GUILDHALL_MODEL');
  const fallback = first === undefined || name === undefined ? undefined : { provider: first, name };
  return Object.freeze({
    endpoints,
    defaultModel: wanted === '' ? fallback : defaultModel(endpoints, wanted, role),
    prices: modelPrices(read('GUILDHALL_MODEL_PRICES')),
  });
}

function modelEndpoints(read: (name: string) => string): Partial<Record<ModelProviderId, ModelEndpoint>> {
  const endpoints: Partial<Record<ModelProviderId, ModelEndpoint>> = {};
  const add = (provider: ModelProviderId, url: string, key: string): void => {
    endpoints[provider] = Object.freeze({ url, key: () => key });
  };
  const anthropic = modelKey('ANTHROPIC_API_KEY', read);
  const anthropicUrl = modelUrl('ANTHROPIC_BASE_URL', read, 'https://api.anthropic.com');
  if (anthropic !== '') add('anthropic', /\/v\d+$/.test(anthropicUrl) ? anthropicUrl : `${anthropicUrl}/v1`, anthropic);
  const openai = modelKey('OPENAI_API_KEY', read);
  const compatibleUrl = modelUrl('OPENAI_BASE_URL', read, '');
  if (compatibleUrl !== '') add('openai-compatible', compatibleUrl, openai);
  else if (openai !== '') add('openai', 'https://api.openai.com/v1', openai);
  const google = modelKey('GOOGLE_GENERATIVE_AI_API_KEY', read) || modelKey('GEMINI_API_KEY', read);
  const googleUrl = modelUrl('GOOGLE_GENERATIVE_AI_BASE_URL', read, 'https://generativelanguage.googleapis.com');
  if (google !== '') add('google', /\/v\d+\w*$/.test(googleUrl) ? googleUrl : `${googleUrl}/v1beta`, google);
  return endpoints;
}

/** A key goes into a header as it is; the value is not repeated in the message. */
function modelKey(variable: string, read: (name: string) => string): string {
  const value = read(variable);
  if (!/^[\x21-\x7e]*$/.test(value))
    throw new ConfigError(`${variable} has characters that no key has; it must be printable ASCII without spaces.`);
  return value;
}

function modelUrl(variable: string, read: (name: string) => string, fallback: string): string {
  const value = read(variable);
  if (value === '') return fallback;
  const url = URL.parse(value);
  const plain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!plain || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError(
      `${variable} ${value.includes('@') ? '' : `is ${JSON.stringify(value)}; it `}must be an http or https URL without user, password, query and fragment.`,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** An API process needs no keys, and so cannot tell whether the model's provider is configured. */
function defaultModel(endpoints: ModelConfig['endpoints'], wanted: string, role: Role): ModelName | undefined {
  const { ok, problem } = resolveModel({ endpoints, defaultModel: undefined }, wanted);
  if (role === 'api') return ok ?? parseModelName(wanted);
  if (ok === undefined) throw new ConfigError(`GUILDHALL_MODEL is ${JSON.stringify(wanted)}: ${problem}`);
  return ok;
}

function modelPrices(value: string): ReadonlyMap<string, ModelPrice> {
  if (value === '') return new Map();
  const price = Type.Number({ minimum: 0, maximum: 1_000_000 });
  const shape = Type.Object(
    { input: price, output: price, cached_input: Type.Optional(price) },
    { additionalProperties: false },
  );
  const problem =
    'GUILDHALL_MODEL_PRICES must be JSON such as {"openai-compatible/qwen3": {"input": 0.2, "output": 0.6, "cached_input": 0.05}}, in US dollars per million tokens.';
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    throw new ConfigError(problem);
  }
  const prices = parse(Type.Record(Type.String(), shape), json, problem);
  for (const name of Object.keys(prices))
    if (parseModelName(name) === undefined)
      throw new ConfigError(
        `GUILDHALL_MODEL_PRICES has ${JSON.stringify(name)}; it must be <provider>/<name> with a provider of ${modelProviders.join(', ')}.`,
      );
  return new Map(Object.entries(prices));
}
