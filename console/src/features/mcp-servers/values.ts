import type { Schemas } from '../../lib/api.ts';
import { linesOf, mapOf, textOf } from './lines.ts';
import type { ServerDetail } from './queries.ts';

/** What the form of an MCP server holds; lists and maps are lines. */
export interface ServerValues {
  name: string;
  slug: string;
  description: string;
  transport: 'url' | 'command';
  url: string;
  headers: string;
  command: string;
  args: string;
  env: string;
  access: ServerDetail['access'];
  repos: string;
  enabled: boolean;
}

export const newServer: ServerValues = {
  name: '',
  slug: '',
  description: '',
  transport: 'url',
  url: '',
  headers: '',
  command: '',
  args: '',
  env: '',
  access: 'organization',
  repos: '',
  enabled: true,
};

export function valuesOf(server: ServerDetail): ServerValues {
  const { name, slug, description, url, headers, command, args, env, access, repos, enabled } = server;
  return {
    name,
    slug,
    description,
    transport: command === '' ? 'url' : 'command',
    url,
    headers: textOf(headers, ':'),
    command,
    args: args.join('\n'),
    env: textOf(env, '='),
    access,
    repos: repos.join('\n'),
    enabled,
  };
}

/** Returns the request; of the two transports only the chosen one is sent. */
export function requestOf(values: ServerValues): Schemas['CreateMcpServerRequest'] {
  const { name, slug, description, transport, url, headers, command, args, env, access, repos, enabled } = values;
  const reached =
    transport === 'url'
      ? { url: url.trim(), headers: mapOf(headers, ':') }
      : { command: command.trim(), args: linesOf(args), env: mapOf(env, '=') };
  return {
    name,
    description,
    ...(slug.trim() === '' ? {} : { slug: slug.trim() }),
    ...reached,
    access,
    repos: access === 'repositories' ? linesOf(repos) : [],
    enabled,
  };
}

/** The form's name of a field of the API: lines have one problem together. */
export function fieldOf(path: string): string {
  return path.split('.')[0] ?? path;
}
