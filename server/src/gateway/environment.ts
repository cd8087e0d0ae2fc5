import { gitPath } from './git-route.ts';
import type { HostRegistries } from './registries.ts';
import type { GatewayRepository } from './session.ts';

/** Environment variables that make git, npm and pip in a sandbox use the gateway. None of them is secret. */
export function sandboxEnvironment(
  gatewayUrl: string,
  repositories: readonly GatewayRepository[],
  registries: HostRegistries,
): Record<string, string> {
  const base = gatewayUrl.replace(/\/+$/, '');
  return {
    ...gitEnvironment(base, repositories),
    ...(registries.npm === undefined ? {} : npmEnvironment(base, registries.npm.isDefault)),
    ...(registries.pip === undefined ? {} : pipEnvironment(base)),
  };
}

function npmEnvironment(base: string, isDefault: boolean): Record<string, string> {
  return {
    npm_config_registry: `${base}/npm/`,
    // A lockfile names npm's default registry or the host's own: both have to lead here. `always` would also catch
    // tarballs that a package.json names by URL, so it is set only where it is needed.
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

function gitEnvironment(base: string, repositories: readonly GatewayRepository[]): Record<string, string> {
  const config: [name: string, value: string][] = [
    // The gateway itself is never reached through the proxy that it is.
    [`http.${base}/.proxy`, ''],
    ...repositories.flatMap((repository) =>
      cloneUrls(repository).map((url): [string, string] => [`url.${base}${gitPath(repository)}.insteadOf`, url]),
    ),
  ];
  const environment: Record<string, string> = {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(config.length),
  };
  for (const [index, [name, value]] of config.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

/** How a repository's own files and people name it: over HTTP as configured, and over SSH. */
function cloneUrls({ remoteUrl }: GatewayRepository): string[] {
  const url = new URL(remoteUrl);
  url.username = '';
  url.password = '';
  const path = url.pathname.replace(/\/+$/, '');
  const http = `${url.origin}${path}`;
  return [http, `ssh://git@${url.hostname}${path}`, `git@${url.hostname}:${path.slice(1)}`];
}
