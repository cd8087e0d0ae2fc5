import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '../lib/keys.ts';
import { shareStream } from './share.ts';
import type { LiveEvent } from './stream.ts';

/** The API's resource of each type of resource that the stream names. */
const resources: Record<string, string> = {
  session: 'sessions',
  change_request: 'change-requests',
  approval: 'sessions',
  knowledge_note: 'knowledge',
  suggestion: 'knowledge',
  memory_note: 'memory',
  memory_generated: 'memory',
  secret: 'secrets',
  skill: 'skills',
  mcp_server: 'mcp-servers',
  repository: 'repositories',
  git_connection: 'git-connections',
  review: 'reviews',
  finding: 'reviews',
  agent: 'agents',
  user: 'members',
  invite: 'members',
  group: 'groups',
  service_user: 'service-users',
  app: 'apps',
  key: 'keys',
  ip_access_list: 'ip-access-list',
  ip_entry: 'ip-access-list',
  sign_in: 'sign-ins',
  preference: 'preferences',
  automation: 'automations',
  run: 'automations',
  violation: 'violations',
  webhook: 'webhooks',
};

const refetchEveryMs = 500;
/** Nobody looks at a hidden page: only its title is seen. */
const refetchHiddenEveryMs = 5_000;

/** Keeps what is shown of an organization current; returns false while the connection is lost for more than a moment. */
export function useLive(org: string): boolean {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(true);
  useEffect(() => {
    const stop = new AbortController();
    const stale = batched((names: Set<string>) => refetch(client, org, names));
    let lost: ReturnType<typeof setTimeout> | undefined;
    shareStream({
      url: `/v3/organizations/${encodeURIComponent(org)}/events/stream`,
      signal: stop.signal,
      onEvent: (event) => stale.add(event === 'reset' ? '' : nameOf(event)),
      onConnection: (open) => {
        if (open) {
          clearTimeout(lost);
          lost = undefined;
          setOpen(true);
        } else lost ??= setTimeout(() => setOpen(false), 3_000);
        // What was read before the stream opened may have changed since.
        if (open) stale.add('');
      },
    });
    return () => {
      stop.abort();
      clearTimeout(lost);
      stale.end();
    };
  }, [client, org]);
  return isOpen;
}

function nameOf({ resource }: LiveEvent): string {
  return `${resources[resource.type] ?? resource.type}/${resource.id}`;
}

/** Reads again what is mounted of the named records and of the lists that may hold them; '' names everything. */
function refetch(client: QueryClient, org: string, names: Set<string>): void {
  if (names.has('')) {
    void client.invalidateQueries({ queryKey: [org] });
    return;
  }
  const lists = new Set<string>();
  for (const name of names) {
    const [resource = '', id = ''] = name.split('/');
    lists.add(resource);
    void client.invalidateQueries({ queryKey: keys.one(org, resource, id) });
  }
  for (const resource of lists) void client.invalidateQueries({ queryKey: keys.lists(org, resource) });
}

/** Collects names, and hands them over at most once in an interval, and when a person comes back to the page. */
function batched(act: (names: Set<string>) => void) {
  let names = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const taken = names;
    names = new Set();
    if (taken.size > 0) act(taken);
  };
  const seen = () => !document.hidden && flush();
  document.addEventListener('visibilitychange', seen);
  return {
    add(name: string): void {
      names.add(name);
      timer ??= setTimeout(flush, document.hidden ? refetchHiddenEveryMs : refetchEveryMs);
    },
    end(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    },
  };
}
