import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf, signInIfNeeded } from '../../../lib/errors.ts';
import { keys } from '../../../lib/keys.ts';
import { recall, remember } from '../../../lib/storage.ts';
import { sessionQuery } from '../queries.ts';
import { readOutbox, writeOutbox, type Delivery, type Outgoing } from './outbox.ts';
import type { ReplyDraft } from './useReplyDraft.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}/messages';

/** Sends messages; each is shown from the moment at which it is written, and none is lost when sending fails. */
export function useOutbox(org: string, session: string) {
  const client = useQueryClient();
  const name = `outbox/${session}`;
  const [list, setList] = useState<readonly Outgoing[]>(() => readOutbox(recall(name)));
  useEffect(() => remember(name, writeOutbox(list)), [name, list]);
  const count = useRef(0);
  const change = useCallback(
    (key: string, what: Partial<Outgoing>) =>
      setList((now) => now.map((one) => (one.key === key ? { ...one, ...what } : one))),
    [],
  );
  const post = useCallback(
    async ({ key, text: content, files, delivery }: Outgoing) => {
      change(key, { state: 'sending', problem: '' });
      try {
        const params = { path: { id: session }, header: { 'idempotency-key': key } };
        const attached = files.length === 0 ? {} : { attachment_ids: files.map(({ id }) => id) };
        const { id } = await unwrap(apiOf(org).POST(path, { params, body: { content, delivery, ...attached } }));
        // Also where the person has left the page meanwhile.
        remember(name, writeOutbox(readOutbox(recall(name)).filter((one) => one.key !== key)));
        change(key, { state: 'sent', id });
        await client.invalidateQueries({ queryKey: keys.one(org, 'sessions', session) });
      } catch (error) {
        signInIfNeeded(error);
        change(key, { state: 'failed', problem: failureOf(error).message });
      }
    },
    [change, client, name, org, session],
  );
  const send = useCallback(
    ({ text, files }: ReplyDraft, delivery: Delivery) => {
      count.current += 1;
      const random = crypto.getRandomValues(new Uint32Array(3)).join('-');
      const key = `console-${random}-${count.current}`;
      const afterSeq = client.getQueryData(sessionQuery(org, session).queryKey)?.last_seq ?? 0;
      const message: Outgoing = { key, text, files, delivery, state: 'sending', id: undefined, afterSeq, problem: '' };
      setList((now) => [...now, message]);
      void post(message);
    },
    [client, org, post, session],
  );
  const drop = useCallback((key: string) => setList((now) => now.filter((one) => one.key !== key)), []);
  return { list, send, drop, retry: post };
}

export type Outbox = ReturnType<typeof useOutbox>;
