import type { TestApi } from './api.ts';

/** An organization whose sessions queue, by its API. */
export interface QueueingOrganization {
  id: string;
  path: string;
  key: string;
}

export async function queueingOrganization(api: TestApi, name: string): Promise<QueueingOrganization> {
  const { id, slug, key } = await api.createOrganization(name);
  return { id, path: `/v3/organizations/${slug}`, key };
}

/** Creates a session, and returns its id. */
export async function queueSession(api: TestApi, { path, key }: QueueingOrganization): Promise<string> {
  const { json } = await api.call('POST', `${path}/sessions`, { key, body: { prompt: 'Do it.' } });
  return String(json['id']);
}
