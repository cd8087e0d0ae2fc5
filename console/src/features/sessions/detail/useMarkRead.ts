import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiOf, type Session } from '../../../lib/api.ts';

/** Marks what is shown as read while the page is visible. */
export function useMarkRead(org: string, session: Session | undefined): void {
  const client = useQueryClient();
  const isUnread = session?.unread === true;
  const { id = '', last_seq: seq = 0 } = session ?? {};
  useEffect(() => {
    if (!isUnread) return undefined;
    const path = '/v3/organizations/{orgId}/sessions/{id}/read';
    const mark = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', mark);
      void apiOf(org)
        .PUT(path, { params: { path: { id } }, body: { seq } })
        .then(() => client.invalidateQueries({ queryKey: [org, 'sessions'] }))
        // It stays unread, and the next event or visit marks it.
        .catch(() => undefined);
    };
    document.addEventListener('visibilitychange', mark);
    mark();
    return () => document.removeEventListener('visibilitychange', mark);
  }, [client, org, id, isUnread, seq]);
}
