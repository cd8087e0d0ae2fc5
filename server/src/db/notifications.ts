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

/** Notifications of PostgreSQL by channel and payload, over one connection of the process. */
export interface Notifications {
  /**
   * Calls `wake` whenever this payload (or any, without one) is notified on the channel, and with `undefined` when
   * notifications may have been missed; returns how to stop. `wake` must not throw.
   */
  subscribe(channel: Channel, payload: string | undefined, wake: (payload: string | undefined) => void): () => void;
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
      wakeAll(`${channel} ${payload}`, payload);
      wakeAll(channel, payload);
    },
    onReconnect: () => {
      for (const set of subscribers.values()) for (const wake of set) wake(undefined);
    },
  });
  return {
    subscribe(channel, payload, wake) {
      const name = payload === undefined ? channel : `${channel} ${payload}`;
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
