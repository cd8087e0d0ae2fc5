import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf, signInIfNeeded } from '../../../lib/errors.ts';
import { keys } from '../../../lib/keys.ts';

export type Delivery = 'steer' | 'queue' | 'interrupt';

/** A message of this person that the log does not have yet. */
export interface Outgoing {
  /** Makes a repetition harmless. */
  key: string;
  text: string;
  delivery: Delivery;
  state: 'sending' | 'sent' | 'failed';
  /** The message's id, once the API has it. */
  id: string | undefined;
  problem: string;
}

const path = '/v3/organizations/{orgId}/sessions/{id}/messages';

/** Sends messages; each is shown from the moment at which it is written, and none is lost when sending fails. */
export function useOutbox(org: string, session: string) {
  const client = useQueryClient();
  const [list, setList] = useState<readonly Outgoing[]>([]);
  const count = useRef(0);
  const change = useCallback(
    (key: string, what: Partial<Outgoing>) =>
      setList((now) => now.map((one) => (one.key === key ? { ...one, ...what } : one))),
    [],
  );
  const post = useCallback(
    async ({ key, text: content, delivery }: Pick<Outgoing, 'key' | 'text' | 'delivery'>) => {
      change(key, { state: 'sending', problem: '' });
      try {
        const params = { path: { id: session }, header: { 'idempotency-key': key } };
        const { id } = await unwrap(apiOf(org).POST(path, { params, body: { content, delivery } }));
        change(key, { state: 'sent', id });
        await client.invalidateQueries({ queryKey: keys.one(org, 'sessions', session) });
      } catch (error) {
        signInIfNeeded(error);
        change(key, { state: 'failed', problem: failureOf(error).message });
      }
    },
    [change, client, org, session],
  );
  const send = useCallback(
    (text: string, delivery: Delivery) => {
      count.current += 1;
      const random = crypto.getRandomValues(new Uint32Array(3)).join('-');
      const message = { key: `console-${random}-${count.current}`, text, delivery };
      setList((now) => [...now, { ...message, state: 'sending' as const, id: undefined, problem: '' }]);
      void post(message);
    },
    [post],
  );
  const drop = useCallback((key: string) => setList((now) => now.filter((one) => one.key !== key)), []);
  return { list, send, drop, retry: post };
}

export type Outbox = ReturnType<typeof useOutbox>;
