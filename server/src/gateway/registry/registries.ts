import { readFile } from 'node:fs/promises';
import { messageOf } from '../../lib/errors.ts';
import { ProgramFailed, runProgram } from '../../lib/program.ts';
import { trimEndOf } from '../../lib/trim.ts';

/** A package registry as configured on the host. */
export interface Registry {
  /** `http:` or `https:`, without credentials or a trailing slash. */
  readonly url: URL;
  /** The `Authorization` header for the registry. Never leaves the host. */
  readonly authorization?: string;
  /** Additional trusted PEM certificates. */
  readonly ca?: readonly string[];
  /** The file origin of the tool's public registry as the tool itself knows it: mirrors copy such links. */
  readonly publicFiles?: string;
}

export interface NpmRegistries {
  readonly main: Registry;
  /** Scoped registries, by `@scope`. */
  readonly scopes: ReadonlyMap<string, Registry>;
  /** True when `main` is npm's default. */
  readonly isDefault: boolean;
}

export interface HostRegistries {
  readonly npm?: NpmRegistries;
  /** The simple index (PEP 503). */
  readonly pip?: Registry;
  /** Problems of reading the tools' configuration, by tool. The read is retried soon. */
  readonly unread?: Partial<Record<Tool, string>>;
}

export const tools = ['npm', 'pip'] as const;
export type Tool = (typeof tools)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** The time limit in milliseconds for all commands of one tool. Tools run in parallel, so also the longest wait. */
const limitMs = 3_000;
/** The share of the limit in which a terminated program must exit. */
const graceMs = 500;

interface Options {
  readonly log: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;
  readonly environment: Environment;
}

/**
 * Returns the registries that `npm` and `pip` on this host install from. Asks both at once; otherwise like {@link
 * registriesOf}.
 */
export async function hostRegistries(options: Options): Promise<HostRegistries> {
  return mergeRegistries(await Promise.all(tools.map((tool) => registriesOf(tool, options))));
}

/**
 * Returns the registries of a tool on this host, with credentials. Omits a tool that is missing or has no registry. Never
 * rejects and takes at most 3 s: terminates a program that does not finish by then, with its children.
 */
export async function registriesOf(tool: Tool, { log, environment }: Options): Promise<HostRegistries> {
  try {
    const found = await (tool === 'npm' ? readNpm(environment) : readPip(environment, log));
    if (Object.keys(found).length === 0) log.info({ tool }, 'no package registry found in the host configuration');
    return found;
  } catch (error) {
    const problem = messageOf(error);
    log.warn({ tool, problem }, `sandboxes cannot install packages with ${tool}: its registries could not be read`);
    return { unread: { [tool]: problem } };
  }
}

export function mergeRegistries(all: readonly HostRegistries[]): HostRegistries {
  const unread = Object.assign({}, ...all.map((one) => one.unread ?? {}));
  const found: HostRegistries = Object.assign({}, ...all);
  const { unread: _last, ...rest } = found;
  return Object.keys(unread).length === 0 ? rest : { ...rest, unread };
}

/** Returns the standard output of a program; undefined when it is missing or failed. */
type Run = (...command: string[]) => Promise<string | undefined>;

/** The commands only print configuration and write at most a cache. */
const limits = { cpuSeconds: 60, fileBytes: 64 * 1024 * 1024 };

/**
 * Creates a runner for programs outside of any project's configuration. Its commands share one time limit; throws when it is
 * over.
 */
function commandsOf(environment: Environment): (own?: Environment) => Run {
  const deadline = performance.now() + limitMs - graceMs;
  return (own = environment) =>
    async (...command) => {
      try {
        const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
        return (await runProgram(command, { env: own, cwd: '/', timeoutMs, graceMs, limits })).stdout;
      } catch (error) {
        if (!(error instanceof ProgramFailed)) throw error;
        if (error.reason !== 'timeout') return undefined;
        const program = command[0] ?? '';
        throw new Error(`${program} on this host did not respond and was terminated after ${limitMs / 1_000} s.`, {
          cause: error,
        });
      }
    };
}

async function readNpm(environment: Environment): Promise<HostRegistries> {
  const run = commandsOf(environment);
  const bare = Object.fromEntries(Object.entries(environment).filter(([name]) => !/^npm_config_/i.test(name)));
  const [listed, fallback] = await Promise.all([
    run()('npm', 'config', 'list', '--json', '--long'),
    run(bare)('npm', 'config', 'get', 'registry', '--userconfig=/dev/null', '--globalconfig=/nonexistent/npmrc'),
  ]);
  if (listed === undefined) return {};
  const config = parseObject(listed);
  const credentials = await npmCredentials(config, environment);
  const ca = await npmCertificates(config);
  const publicFiles = registryUrl(fallback?.trim());
  const registry = (value: unknown): Registry | undefined => {
    const url = registryUrl(value);
    if (url === undefined) return undefined;
    const authorization = npmAuthorization(url, credentials);
    return withoutUser(url, {
      ...(authorization === undefined ? {} : { authorization }),
      ...(ca === undefined ? {} : { ca }),
      ...(publicFiles === undefined ? {} : { publicFiles: publicFiles.origin }),
    });
  };
  // npm omits registries whose URL contains a password.
  const main = registry(config.get('registry') ?? credentials.get('registry'));
  if (main === undefined) return {};
  const scopes = new Map<string, Registry>();
  for (const [key, value] of [...config, ...credentials]) {
    const scope = /^(@[^:/]+):registry$/.exec(key)?.[1];
    const found = scope === undefined ? undefined : registry(value);
    if (scope !== undefined && found !== undefined) scopes.set(scope, found);
  }
  return { npm: { main, scopes, isDefault: publicFiles?.href === main.url.href } };
}

function parseObject(json: string): Map<string, unknown> {
  const value: unknown = JSON.parse(json);
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** Reads keys such as `//host/:_authToken` from npm's files: npm omits them from its output. */
async function npmCredentials(config: Map<string, unknown>, environment: Environment): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  for (const key of ['globalconfig', 'userconfig']) {
    const path = config.get(key);
    if (typeof path !== 'string') continue;
    for (const [name, value] of parseNpmrc(await readOptional(path), environment)) entries.set(name, value);
  }
  for (const [name, value] of Object.entries(environment)) {
    const key = /^npm_config_(\/\/.*|@[^:/]+:registry|registry)$/i.exec(name)?.[1];
    if (key !== undefined && value !== undefined) entries.set(key, value);
  }
  return entries;
}

async function readOptional(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

/** Parses the `key = value` lines of an npmrc file and expands `${NAME}` and `${NAME?}` from the environment as npm does. */
export function parseNpmrc(text: string, environment: Environment): [name: string, value: string][] {
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const match = /^([^;#=][^=]*)=(.*)$/.exec(line.trim());
    if (match === null) return [];
    const [name = '', quoted = ''] = match.slice(1).map((part) => part.trim());
    const value = /^(["'])(.*)\1$/.exec(quoted)?.[2] ?? quoted;
    const expand = (part: string): string =>
      part.replaceAll(
        /\$\{([^}?]+)(\?)?\}/g,
        (whole: string, key: string, optional?: string) => environment[key] ?? (optional === undefined ? whole : ''),
      );
    return [[expand(name), expand(value)]];
  });
}

/** Returns the credentials of the longest configured path above a registry, as npm does. */
export function npmAuthorization(url: URL, credentials: ReadonlyMap<string, string>): string | undefined {
  const segments = url.pathname.split('/').filter(Boolean);
  for (let length = segments.length; length >= 0; length -= 1) {
    const path = ['', ...segments.slice(0, length), ''].join('/');
    for (const base of [`//${url.host}${path}`, `//${url.host}${path.slice(0, -1)}`]) {
      const token = credentials.get(`${base}:_authToken`);
      if (token !== undefined) return `Bearer ${token}`;
      const basic = credentials.get(`${base}:_auth`);
      if (basic !== undefined) return `Basic ${basic}`;
      const user = credentials.get(`${base}:username`);
      const password = credentials.get(`${base}:_password`);
      if (user !== undefined && password !== undefined)
        return basicAuthorization(user, Buffer.from(password, 'base64').toString('utf8'));
    }
  }
  return undefined;
}

async function npmCertificates(config: Map<string, unknown>): Promise<string[] | undefined> {
  const file = config.get('cafile');
  const inline = config.get('ca');
  const listed = (Array.isArray(inline) ? inline : [inline]).filter((item): item is string => typeof item === 'string');
  const own = [...listed, typeof file === 'string' && file !== '' ? await readOptional(file) : ''].filter(Boolean);
  return own.length === 0 ? undefined : own;
}

async function readPip(environment: Environment, log: Options['log']): Promise<HostRegistries> {
  const run = commandsOf(environment)();
  const known = environment['PIP_INDEX_URL'];
  const publicFiles = run(
    'python3',
    '-c',
    'from pip._internal.models.index import PyPI; print(PyPI.file_storage_domain)',
  ).catch(() => undefined);
  for (const pip of known === undefined ? [['pip3'], ['pip'], ['python3', '-m', 'pip']] : []) {
    const [config, help] = await Promise.all([
      run(...pip, 'config', 'list'),
      // Uses `help install`: wrappers do extra work around any command named `install`, and one that is terminated leaves a
      // lock behind.
      run(...pip, 'help', 'download'),
    ]);
    if (config === undefined || help === undefined) continue;
    const settings = pipSettings(config);
    const more = ['extra-index-url', 'find-links'].filter((name) => settings.has(name));
    if (more.length > 0)
      log.warn({ tool: 'pip' }, `sandboxes use only pip's index: they ignore ${more.join(' and ')} of this host`);
    const index = settings.get('index-url') ?? /--index-url[^(]*\(default\s+(\S+?)\)/.exec(help)?.[1];
    return pipRegistry(index, settings.get('cert'), await publicFiles);
  }
  return pipRegistry(known, environment['PIP_CERT'], await publicFiles);
}

/** Returns the settings of `pip config list` that apply to `pip install`: environment first, then `install`, then `global`. */
export function pipSettings(listed: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const section of ['global', 'install', ':env:']) {
    for (const line of listed.split('\n')) {
      const match = /^([^.]+)\.([a-z-]+)='(.*)'$/.exec(line.trim());
      if (match?.[1] === section) settings.set(match[2] ?? '', match[3] ?? '');
    }
  }
  return settings;
}

async function pipRegistry(
  index: string | undefined,
  certificate: string | undefined,
  fileHost: string | undefined,
): Promise<HostRegistries> {
  const url = registryUrl(index);
  if (url === undefined) return {};
  const ca = certificate === undefined ? '' : await readOptional(certificate);
  const publicFiles = registryUrl(`https://${fileHost?.trim() ?? ''}`)?.origin;
  return {
    pip: withoutUser(url, {
      ...(ca === '' ? {} : { ca: [ca] }),
      ...(publicFiles === undefined ? {} : { publicFiles }),
    }),
  };
}

function registryUrl(value: unknown): URL | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  url.pathname = trimEndOf(url.pathname, '/');
  url.search = '';
  url.hash = '';
  return url;
}

/** Moves user and password from the URL into a header, so that they do not show up in messages. */
function withoutUser(url: URL, rest: Omit<Registry, 'url'>): Registry {
  const clean = new URL(url);
  clean.username = '';
  clean.password = '';
  if (url.username === '' && url.password === '') return { url: clean, ...rest };
  const authorization = basicAuthorization(decodeURIComponent(url.username), decodeURIComponent(url.password));
  return { url: clean, authorization, ...rest };
}

function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
