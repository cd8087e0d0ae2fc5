import { gitPath } from './git/route.ts';
import type { HostRegistries, Tool } from './registry/registries.ts';
import type { BrokerCredential, GatewayRepository, GatewaySession } from './session.ts';
import { trimEndOf } from '../lib/trim.ts';

/**
 * Returns the environment variables that make git, npm and pip in a sandbox use the gateway, and that hold the session's id and
 * API URL. None of them is secret. `registries` is undefined where nothing can be installed.
 */
export function sandboxEnvironment(
  gatewayUrl: string,
  { id, repositories, api }: Pick<GatewaySession, 'id' | 'repositories' | 'api'>,
  registries: HostRegistries | undefined,
): Record<string, string> {
  const base = trimEndOf(gatewayUrl, '/');
  return {
    ...(api === undefined ? {} : { GUILDHALL_URL: `${base}/api`, GUILDHALL_SESSION_ID: id }),
    ...gitEnvironment(base, repositories),
    ...(leadsTo(registries, 'npm') ? npmEnvironment(base, registries?.npm?.isDefault ?? true) : {}),
    ...(leadsTo(registries, 'pip') ? pipEnvironment(base) : {}),
  };
}

/** Returns true also for a configuration that could not be read yet: it may be readable when it is used. */
function leadsTo(registries: HostRegistries | undefined, tool: Tool): boolean {
  return registries === undefined || registries[tool] !== undefined || registries.unread?.[tool] !== undefined;
}

/** Adds the variables that route the hosts of brokered credentials through the gateway. They hold no credential. */
export function withCredentials(
  environment: Readonly<Record<string, string>>,
  gatewayUrl: string,
  credentials: readonly BrokerCredential[],
): Record<string, string> {
  const base = trimEndOf(gatewayUrl, '/');
  return withGitConfig({ ...environment, ...brokerEnvironment(base, credentials) }, brokeredHosts(base, credentials));
}

/** Appends entries to git's configuration in the environment. */
export function withGitConfig(
  environment: Readonly<Record<string, string>>,
  config: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  if (config.length === 0) return { ...environment };
  const before = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  const changed: Record<string, string> = { ...environment, GIT_CONFIG_COUNT: String(before + config.length) };
  for (const [index, [name, value]] of config.entries()) {
    changed[`GIT_CONFIG_KEY_${before + index}`] = name;
    changed[`GIT_CONFIG_VALUE_${before + index}`] = value;
  }
  return changed;
}

function npmEnvironment(base: string, isDefault: boolean): Record<string, string> {
  return {
    npm_config_registry: `${base}/npm/`,
    // A lockfile names npm's default registry or the host's own; both must be routed here. `always` would also match tarballs
    // that a package.json names by URL, so it is set only where needed.
    npm_config_replace_registry_host: isDefault ? 'npmjs' : 'always',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    YARN_NPM_REGISTRY_SERVER: `${base}/npm`,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(base).hostname,
  };
}

function pipEnvironment(base: string): Record<string, string> {
  return {
    PIP_INDEX_URL: `${base}/pip/simple/`,
    PIP_TRUSTED_HOST: new URL(base).host,
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    UV_DEFAULT_INDEX: `${base}/pip/simple/`,
  };
}

/** The value of a brokered credential's variable inside the sandbox. */
const placeholder = 'held-by-the-gateway';

function brokerEnvironment(base: string, credentials: readonly BrokerCredential[]): Record<string, string> {
  if (credentials.length === 0) return {};
  const environment: Record<string, string> = { GUILDHALL_BROKER_URL: `${base}/broker` };
  for (const { name, urlVariable, allowedHosts, use } of credentials) {
    if (use !== 'http') continue;
    environment[name] = placeholder;
    const host = allowedHosts.find(isPlainHost);
    if (host !== undefined && urlVariable !== '') environment[urlVariable] = `${base}/broker/${host}`;
  }
  return environment;
}

function isPlainHost(pattern: string): boolean {
  return !pattern.startsWith('*');
}

/** Returns git configuration that routes HTTPS and SSH URLs of hosts with a git credential through the gateway. */
function brokeredHosts(base: string, credentials: readonly BrokerCredential[]): [name: string, value: string][] {
  const hosts = credentials.filter(({ use }) => use === 'git').flatMap(({ allowedHosts }) => allowedHosts);
  return [...new Set(hosts.filter(isPlainHost).map((host) => host.toLowerCase()))].flatMap((host) => {
    const urls = [`https://${host}/`, ...(host.includes(':') ? [] : [`ssh://git@${host}/`, `git@${host}:`])];
    return urls.map((url): [string, string] => [`url.${base}/broker/${host}/.insteadOf`, url]);
  });
}

function gitEnvironment(base: string, repositories: readonly GatewayRepository[]): Record<string, string> {
  return withGitConfig({ GIT_TERMINAL_PROMPT: '0' }, [
    // Clients must not use the gateway as a proxy to itself.
    [`http.${base}/.proxy`, ''],
    ...repositories.flatMap((repository) =>
      cloneUrls(repository).map((url): [string, string] => [`url.${base}${gitPath(repository)}.insteadOf`, url]),
    ),
  ]);
}

/** Returns the URLs under which files and people name a repository: HTTP as configured, and SSH. */
function cloneUrls({ remoteUrl }: GatewayRepository): string[] {
  const url = new URL(remoteUrl);
  url.username = '';
  url.password = '';
  const path = trimEndOf(url.pathname, '/');
  const http = `${url.origin}${path}`;
  return [http, `ssh://git@${url.hostname}${path}`, `git@${url.hostname}:${path.slice(1)}`];
}
