import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { readFlags } from './flags.ts';
import { modelKeys, models } from './models.ts';
import { oidc, peopleSecrets, smtp, type OidcConfig, type SmtpConfig } from './people.ts';
import { baseUrl, bytes, integer, list, oneOf, UsageError } from './values.ts';
import { unknownVariables } from './names.ts';
import { keyRing, storage } from './places.ts';
import { processCount } from './processes.ts';
import { sandboxDriver, sandboxMax, worker, type SandboxMax } from './sandbox.ts';
import { isCidr } from '../lib/cidr.ts';
import { isEmail } from '../lib/email.ts';
import { parseAuthority } from '../lib/hosts.ts';
import { logFormats, logLevels } from '../lib/log.ts';
import type { ModelConfig } from '../lib/models.ts';
import { trimEndOf } from '../lib/trim.ts';

const roles = ['all', 'api', 'worker'] as const;

export type Role = (typeof roles)[number];

/** All settings of an operator. Frozen; nothing else in the server reads `process.env` or the arguments. */
export interface Config {
  readonly role: Role;
  /** The number of processes side by side; above 1, one more supervises them. */
  readonly processes: number;
  /** The number of this process among them, from 1. */
  readonly processNumber: number;
  readonly host: string;
  readonly port: number;
  /** The public base URL without a trailing slash; `''` until the listener knows its port. */
  readonly url: string;
  /** Absolute. All data is below it unless another setting says otherwise. */
  readonly data: string;
  /** `''`: the embedded PostgreSQL below `data`. */
  readonly databaseUrl: string;
  /** True if no process that used the database before can still live. */
  readonly isDatabaseNew: boolean;
  readonly metricsPort: number;
  /** A directory that all processes share, or `s3://<bucket>[/<prefix>]`; `bucketOf` tells which. */
  readonly blobs: string;
  /** True to put the bucket's name into the path: custom endpoints have no host per bucket. */
  readonly s3PathStyle: boolean;
  readonly repositories: string;
  /** Maximum bytes of an organization in blobs and repositories; 0 is unlimited. */
  readonly storageMax: number;
  /** Maximum bytes of a worker's mirrors and base layers together; 0 is unlimited. */
  readonly cacheMax: number;
  /** Maximum bytes of a repository that is copied from a git host, as the size of its pack; 0 is unlimited. */
  readonly cloneMax: number;
  /** Bytes of the disk that stay free: with less, no session starts, and large requests are rejected. */
  readonly diskReserve: number;
  /** An absolute path, `env:<variable>`, or `aws-kms:<key ARN>[,<key ARN>…]`. */
  readonly keyRing: string;
  /**
   * Returns the variable's value if the ring is in the environment: a function, so that printing the configuration does
   * not reveal it.
   */
  readonly keyRingValue: () => string;
  /** The name of the driver. */
  readonly sandbox: string;
  readonly sandboxMax: SandboxMax;
  readonly trustedProxies: readonly string[];
  /** Requests per second and key, and the burst above it; 0 is off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly adminEmail: string;
  /** The right to create organizations: anyone or only the operator; and the maximum number per user, 0 is unlimited. */
  readonly organizations: { readonly by: (typeof organizationMakers)[number]; readonly perPerson: number };
  readonly egressAllow: readonly EgressRule[];
  /** Hosts with files of the host's package registries, by tool; patterns as in `allowed_hosts`. */
  readonly registryFiles: Readonly<Record<'npm' | 'pip', readonly string[]>>;
  readonly models: ModelConfig;
  /** Undefined: members pass invitations on themselves. */
  readonly smtp: SmtpConfig | undefined;
  /** Undefined: users sign in by password only. */
  readonly oidc: OidcConfig | undefined;
  /** The maximum number of concurrent sessions of a worker. */
  readonly slots: number;
  /** The number of sandboxes that a worker starts before sessions need them. */
  readonly preparedSandboxes: number;
  /** The address on which a worker takes connections of API processes, and under which these reach it. */
  readonly workerHost: string;
  /** Milliseconds after the first signal in which requests are still served and `/readyz` says `draining`. */
  readonly drainDelayMs: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly logFormat: (typeof logFormats)[number];
  /** The ready line as JSON. */
  readonly json: boolean;
  /** Drain when standard input ends. */
  readonly stopWithStdin: boolean;
  /** Problems of the environment that do not prevent a start. */
  readonly warnings: readonly string[];
  /** The environment for tools with their own configuration: npm, pip, the search path. Contains no model key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names this process in leases and logs. */
  readonly processId: string;
}

const organizationMakers = ['open', 'operator'] as const;

export const egressPurposes = ['model', 'git', 'mcp', 'webhook', 'browser', 'http', '*'] as const;

/** A rule that allows a private address: `purpose=cidr` or `purpose=host:port`. */
export interface EgressRule {
  readonly purpose: (typeof egressPurposes)[number];
  readonly target: string;
}

/**
 * Reads arguments and environment; arguments take precedence. An empty variable counts as unset. `onTerminal`: a person
 * reads the output. Throws {@link UsageError}.
 */
export function readConfig(args: string[], variables: Record<string, string | undefined>, onTerminal = false): Config {
  // Compose files write `X=${X:-}`.
  const environment = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim() !== ''));
  const flags = readFlags(args);
  const text = (name: string, fallback: string): string => environment[name] ?? fallback;
  const host = text('GUILDHALL_HOST', '127.0.0.1');
  const port = integer('--port / GUILDHALL_PORT', flags.port ?? text('GUILDHALL_PORT', '7420'), 0, 65_535);
  const data = resolve(directoryOf(flags.data) ?? text('GUILDHALL_DATA', './data'));
  const role = oneOf('--role / GUILDHALL_ROLE', flags.role ?? text('GUILDHALL_ROLE', 'all'), roles);
  const databaseUrl = postgresUrl(text('DATABASE_URL', ''));
  const url = trimEndOf(baseUrl('GUILDHALL_URL', text('GUILDHALL_URL', '')), '/');
  if (role === 'worker' && databaseUrl === '')
    throw new UsageError('A worker shares its database with the API: set DATABASE_URL.');
  if (role === 'worker' && url === '')
    throw new UsageError('A worker reaches repositories through the API: set GUILDHALL_URL to its base URL.');
  const ring = keyRing(text('GUILDHALL_KEY_RING', resolve(data, 'key-ring')), environment);
  const ofWorker = worker(text);
  return Object.freeze({
    role,
    processes: processCount(flags.processes ?? text('GUILDHALL_PROCESSES', 'auto'), role, ofWorker.slots),
    processNumber: 1,
    host,
    port,
    url,
    data,
    databaseUrl,
    // An embedded database ends with its process: whoever used it before has ended, too.
    isDatabaseNew: databaseUrl === '',
    metricsPort: integer('GUILDHALL_METRICS_PORT', text('GUILDHALL_METRICS_PORT', '7421'), 0, 65_535),
    ...storage(text, data),
    keyRing: ring.name,
    keyRingValue: () => ring.value,
    sandbox: sandboxDriver(text('GUILDHALL_SANDBOX', 'auto')),
    ...ceilings(text),
    trustedProxies: list(text('GUILDHALL_TRUSTED_PROXIES', '')).map(trustedProxy),
    rateLimit: rateLimit(text('GUILDHALL_RATE_LIMIT', '200:1000')),
    adminEmail: adminEmail(text('GUILDHALL_ADMIN_EMAIL', 'admin@localhost')),
    organizations: organizations(text),
    egressAllow: list(text('GUILDHALL_EGRESS_ALLOW', '')).map(egressRule),
    registryFiles: registryFiles(list(text('GUILDHALL_REGISTRY_FILES', ''))),
    models: models((name) => text(name, '').trim(), role !== 'api'),
    smtp: smtp((name) => text(name, '').trim(), url),
    oidc: oidc((name) => text(name, '').trim()),
    ...ofWorker,
    drainDelayMs: 1_000 * integer('GUILDHALL_DRAIN_DELAY', text('GUILDHALL_DRAIN_DELAY', '0'), 0, 3_600),
    logLevel: oneOf('GUILDHALL_LOG_LEVEL', text('GUILDHALL_LOG_LEVEL', 'info'), logLevels),
    logFormat: oneOf(
      'GUILDHALL_LOG_FORMAT',
      text('GUILDHALL_LOG_FORMAT', onTerminal && flags.json !== true ? 'text' : 'json'),
      logFormats,
    ),
    json: flags.json ?? false,
    stopWithStdin: flags['stop-with-stdin'] ?? false,
    warnings: Object.freeze(unknownVariables(environment, [ring.variable])),
    environment: environmentOfTools(environment, ring.variable),
    processId: `${hostname()}-${process.pid}-${createHash('sha256').update(`${data}${Date.now()}`).digest('hex').slice(0, 6)}`,
  });
}

function environmentOfTools(
  environment: Record<string, string | undefined>,
  ringVariable: string,
): Config['environment'] {
  const isSecret = (name: string): boolean => modelKeys.has(name) || peopleSecrets.has(name) || name === ringVariable;
  return Object.freeze(Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecret(name))));
}

function ceilings(text: (name: string, fallback: string) => string) {
  return {
    sandboxMax: sandboxMax(text('GUILDHALL_SANDBOX_MAX', '')),
    storageMax: bytes('GUILDHALL_STORAGE_MAX', text('GUILDHALL_STORAGE_MAX', '100GiB')),
    cacheMax: bytes('GUILDHALL_CACHE_MAX', text('GUILDHALL_CACHE_MAX', '50GiB')),
    cloneMax: bytes('GUILDHALL_CLONE_MAX', text('GUILDHALL_CLONE_MAX', '16GiB')),
    diskReserve: bytes('GUILDHALL_DISK_RESERVE', text('GUILDHALL_DISK_RESERVE', '1GiB')),
  };
}

function organizations(text: (name: string, fallback: string) => string): Config['organizations'] {
  const perPerson = 'GUILDHALL_ORGANIZATIONS_PER_PERSON';
  return {
    by: oneOf('GUILDHALL_ORGANIZATIONS', text('GUILDHALL_ORGANIZATIONS', 'open'), organizationMakers),
    perPerson: integer(perPerson, text(perPerson, '20'), 0, 1_000_000),
  };
}

/** The value may contain a password, so no message repeats it. */
function postgresUrl(value: string): string {
  if (value === '' || /^postgres(?:ql)?:\/\//.test(value)) return value;
  throw new UsageError('DATABASE_URL must be postgresql://[user[:password]@]host[:port]/database.');
}

/** An empty flag comes from a variable of the shell that is not set. */
function directoryOf(flag: string | undefined): string | undefined {
  if (flag?.trim() !== '') return flag;
  throw new UsageError(`--data is ${JSON.stringify(flag)}; it must be a directory.`);
}

function adminEmail(value: string): string {
  if (isEmail(value)) return value;
  throw new UsageError(`GUILDHALL_ADMIN_EMAIL is ${JSON.stringify(value)}; it must be an e-mail address.`);
}

function trustedProxy(value: string): string {
  const [address = '', bits = ''] = value.split(/\/(.*)/s);
  const family = isIP(address);
  const isRange =
    family !== 0 && (!value.includes('/') || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)));
  if (isRange || ['loopback', 'linklocal', 'uniquelocal'].includes(value)) return value;
  throw new UsageError(
    `GUILDHALL_TRUSTED_PROXIES has ${JSON.stringify(value)}; it must be an address or a CIDR such as 10.0.0.0/8.`,
  );
}

function rateLimit(value: string): { perSecond: number; burst: number } {
  const match = /^(\d{1,7})(?::([1-9]\d{0,6}))?$/.exec(value);
  if (match === null)
    throw new UsageError(
      `GUILDHALL_RATE_LIMIT is ${JSON.stringify(value)}; it must be <per second>[:<burst>], with a burst of at least 1; 0 turns it off.`,
    );
  const perSecond = Number(match[1]);
  return { perSecond, burst: match[2] === undefined ? perSecond * 5 : Number(match[2]) };
}

function egressRule(value: string): EgressRule {
  const [purpose = '', target = ''] = value.split(/=(.*)/s);
  const known = egressPurposes.find((candidate) => candidate === purpose);
  if (known === undefined || !(isCidr(target) || parseAuthority(target) !== undefined))
    throw new UsageError(
      `GUILDHALL_EGRESS_ALLOW has ${JSON.stringify(value)}; it must be <purpose>=<CIDR or host:port> with a purpose of ${egressPurposes.join(', ')}.`,
    );
  return { purpose: known, target };
}

function registryFiles(values: readonly string[]): Config['registryFiles'] {
  const found = values.map((value) => {
    const match = /^(npm|pip)=((?:\*\.)?[a-z0-9.-]+)(:\d{1,5})?$/i.exec(value);
    if (match === null)
      throw new UsageError(
        `GUILDHALL_REGISTRY_FILES has ${JSON.stringify(value)}; it must be npm=<host> or pip=<host>, where a host may begin with *. and end with :<port>.`,
      );
    return { tool: match[1]?.toLowerCase(), host: `${match[2] ?? ''}${match[3] ?? ''}` };
  });
  const of = (tool: string): string[] => found.filter((one) => one.tool === tool).map(({ host }) => host);
  return { npm: of('npm'), pip: of('pip') };
}
