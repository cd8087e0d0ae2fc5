import { createClient, type Client, type components } from '@guildhall/client';

export { ApiError, unwrap } from '@guildhall/client';

export type Schemas = components['schemas'];
export type Session = Schemas['Session'];

const clients = new Map<string, Client>();

/** Returns the client of an organization, by its slug; it sends the cookie of the sign-in. */
export function apiOf(organization: string): Client {
  const client = clients.get(organization) ?? createClient({ baseUrl: location.origin, cookie: true, organization });
  clients.set(organization, client);
  return client;
}

/** The client for what belongs to no organization. */
export const api = createClient({ baseUrl: location.origin, cookie: true });
