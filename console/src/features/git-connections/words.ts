import type { Connection, Provider } from './queries.ts';

/** The names of the git hosts. */
export const providerNames: Record<Provider, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  pagure: 'Pagure',
  local: 'Built-in',
};

/** The git hosts that are connected with a token. */
export const tokenProviders = ['github', 'gitlab', 'pagure'] as const;
export type TokenProvider = (typeof tokenProviders)[number];

/** The host that a connection has unless another one is named; '' if it must be named. */
export const defaultHosts: Record<TokenProvider, string> = { github: 'github.com', gitlab: 'gitlab.com', pagure: '' };

/** A state in words, and its color. */
export interface StateWord {
  word: string;
  tone: 'run' | 'wait' | 'bad';
}

export function stateOf({ state, missing_permissions: missing }: Connection): StateWord {
  switch (state) {
    case 'connected':
      return { word: 'Connected', tone: 'run' };
    case 'degraded':
      return {
        word: missing.length === 1 ? '1 permission missing' : `${missing.length} permissions missing`,
        tone: 'wait',
      };
    case 'revoked':
      return { word: 'Rejected by the host', tone: 'bad' };
    case 'error':
      return { word: 'Not reached', tone: 'bad' };
  }
}

/** How a connection is authorized, in words. */
export const kindWords: Record<Connection['kind'], string> = {
  token: 'By a token',
  app: 'As a GitHub App',
  directory: 'A directory of this server',
};
