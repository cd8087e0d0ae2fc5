import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiOf, type Session } from '../../../lib/api.ts';

/** Marks what is shown as read while the page is visible. */
export function useMarkRead(org: string, session: Session | undefined): void {
  const client = useQueryClient();
  const isUnread = session?.unread === true;
  const { id = '', last_seq: seq = 0 } = session ?? {};
  useEffect(() => {
    if (!isUnread || document.hidden) return;
    const path = '/v3/organizations/{orgId}/sessions/{id}/read';
    void apiOf(org)
      .PUT(path, { params: { path: { id } }, body: { seq } })
      .then(() => client.invalidateQueries({ queryKey: [org, 'sessions'] }));
  }, [client, org, id, isUnread, seq]);
}
