import type { TestApi } from '../support/api.ts';

/** The organization that the pictures show. */
export interface Shop {
  api: TestApi;
  orgId: string;
  /** The key of who makes everything. */
  key: string;
  /** Ids of people by their first names. */
  people: Readonly<Record<string, string>>;
  /** Values of the places in addresses, as in the inventory of the tests. */
  values: Record<string, string>;
  /** Calls the API below the organization, or elsewhere with a path that starts with `//`; throws if it refuses. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Runs SQL: for what the API lets nobody do, such as to have begun last week. */
  sql(text: string, values?: readonly unknown[]): Promise<void>;
}

const organization = '/v3/organizations/default';

export async function openShop(api: TestApi): Promise<Shop> {
  const { json } = await api.call('PATCH', organization, { body: { name: 'Acme' } });
  const shop: Shop = {
    api,
    orgId: String(json['id']),
    key: api.adminKey,
    people: {},
    values: {},
    async ask(method, path, body) {
      const url = path.startsWith('//') ? path.slice(1) : `${organization}${path}`;
      const answer = await api.call(method, url, { key: shop.key, ...(body === undefined ? {} : { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.text}`);
      return answer.json;
    },
    async sql(text, values = []) {
      await api.ctx.db.pool.query(text, [...values]);
    },
  };
  return shop;
}

/** Returns the time so many minutes ago. */
export function ago(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}

/** Does something with each of a list, one after the other. */
export async function each<One>(list: readonly One[], act: (one: One, at: number) => Promise<unknown>): Promise<void> {
  for (const [at, one] of list.entries()) await act(one, at);
}
