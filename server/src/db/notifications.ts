import type { Log } from '../lib/log.ts';
import { openListener, type Listener } from './listener.ts';

export const channels = [
  'guildhall_session',
  'guildhall_activity',
  'guildhall_control',
  'guildhall_keys',
  'guildhall_ip_lists',
  'guildhall_dispatch',
  'guildhall_calls_waiting',
  'guildhall_calls_changed',
  'guildhall_browsers',
  'guildhall_outbox',
  'guildhall_automation_runs',
] as const;
export type Channel = (typeof channels)[number];

/** Notifications of PostgreSQL by channel and key, over one connection of the process. */
export interface Notifications {
  /**
   * Calls `wake` with each payload on the channel whose first line is `key` (any, without one), and with `undefined` when
   * notifications may have been missed; returns how to stop. `wake` must not throw.
   */
  subscribe(channel: Channel, key: string | undefined, wake: (payload: string | undefined) => void): () => void;
  close(): Promise<void>;
}

type Wake = (payload: string | undefined) => void;

export async function openNotifications(connectionString: string, log: Log): Promise<Notifications> {
  const subscribers = new Map<string, Set<Wake>>();
  const wakeAll = (name: string, payload: string): void => {
    for (const wake of subscribers.get(name) ?? []) wake(payload);
  };
  const listener: Listener = await openListener({
    connectionString,
    channels,
    log,
    onNotification: (channel, payload) => {
      const [key = ''] = payload.split('\n', 1);
      wakeAll(`${channel} ${key}`, payload);
      wakeAll(channel, payload);
    },
    onReconnect: () => {
      for (const set of subscribers.values()) for (const wake of set) wake(undefined);
    },
  });
  return {
    subscribe(channel, key, wake) {
      const name = key === undefined ? channel : `${channel} ${key}`;
      const set = subscribers.get(name) ?? new Set<Wake>();
      subscribers.set(name, set.add(wake));
      return () => {
        set.delete(wake);
        if (set.size === 0) subscribers.delete(name);
      };
    },
    close: () => listener.close(),
  };
}
