import { expect } from 'vitest';
import { deliverDue } from '../../src/features/webhooks/deliver-service.ts';
import { webhookHeaders } from '../../src/lib/standard-webhooks.ts';
import type { TestApi } from './api.ts';
import { openReceiver, type Received, type Receiver } from './receiver.ts';

export const org = '/v3/organizations/default';
export const path = `${org}/webhooks`;
export const within = { timeout: 20_000, interval: 50 };
export const minute = 60_000;
export const day = 24 * 60 * minute;

export interface Hook {
  id: string;
  secret: string;
  path: string;
}

export interface Delivery {
  id: string;
  type: string;
  resource: { id: string };
  state: string;
  attempts: number;
  status_code: number | null;
  problem: string;
  request_body: string;
  response_body: string;
  next_attempt_at: string | null;
  attempt_log: { at: string; status_code: number | null; problem: string }[];
}

/** Webhooks, their receivers, and events of groups for them. */
export function webhooksOf(api: () => TestApi) {
  const receivers: Receiver[] = [];
  const hooks: string[] = [];

  async function deliveriesOf(hook: Hook, query = ''): Promise<Delivery[]> {
    const { json } = await api().call('GET', `${hook.path}/deliveries?first=200${query}`);
    return Array.isArray(json['items']) ? json['items'] : [];
  }

  return {
    deliveriesOf,
    /** Opens a receiver, at the address of an earlier one if `url` names it. */
    async receive(url?: string): Promise<Receiver> {
      const receiver = await openReceiver(url === undefined ? 0 : Number(new URL(url).port));
      receivers.push(receiver);
      return receiver;
    },
    async create(url: string, body: object = { events: ['group.*'] }, key = api().adminKey): Promise<Hook> {
      const { status, json } = await api().call('POST', path, { key, body: { url, ...body } });
      expect(status).toBe(201);
      const id = String(json['id']);
      hooks.push(id);
      return { id, secret: String(json['secret']), path: `${path}/${id}` };
    },
    /** Creates a group and changes it; returns its id. */
    async changeGroup(times = 0): Promise<string> {
      const { json } = await api().call('POST', `${org}/groups`, { body: { name: `g ${Math.random()}` } });
      const id = String(json['id']);
      for (let time = 0; time < times; time += 1)
        await api().call('PATCH', `${org}/groups/${id}`, { body: { description: String(time) } });
      return id;
    },
    async hasDeliveries(hook: Hook, count: number): Promise<void> {
      await expect.poll(async () => (await deliveriesOf(hook)).length, within).toBe(count);
    },
    /** Sends what is due `ms` from now, as a worker does. */
    async deliverAt(hook: Hook, ms = 0): Promise<void> {
      const clock = { now: () => new Date(Date.now() + ms) };
      await deliverDue({ ...api().ctx, clock }, hook.id, new AbortController().signal);
    },
    async clean(): Promise<void> {
      for (const id of hooks.splice(0)) await api().call('DELETE', `${path}/${id}`);
      for (const receiver of receivers.splice(0)) await receiver.close();
    },
    forget: (receiver: Receiver) => void receivers.splice(receivers.indexOf(receiver), 1),
  };
}

/** Returns the signature of a received request that a secret makes. */
export function signatureOf({ headers, body }: Received, secret: string): string | undefined {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return webhookHeaders({ id: String(headers['webhook-id']), body, at }, [secret])['webhook-signature'];
}

/** Returns the number of a received event in its organization. */
export function seqOf({ body }: Received): number {
  return JSON.parse(body).data.seq;
}
