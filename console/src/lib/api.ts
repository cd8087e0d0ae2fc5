import { createClient, unwrap, type Answer, type Client, type components } from '@guildhall/client';

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

/** A record with the ETag of its state. */
export type Tagged<Record> = Record & { etag: string };

/** Returns the record of a response with its ETag, for the forms that change it. */
export async function tagged<A extends Answer<object>>(
  call: Promise<A>,
): Promise<Tagged<Awaited<ReturnType<typeof unwrap<A>>>>> {
  const [record, { response }] = [await unwrap(call), await call];
  return { ...record, etag: response.headers.get('etag') ?? '' };
}
