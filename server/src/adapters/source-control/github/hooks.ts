import { Type } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { githubEvents } from '../github-events.ts';
import type { SourceControl } from '../port.ts';
import type { HostConnection } from '../connection.ts';
import { nameOf, type GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { repositoryPath } from './repository-path.ts';

const Hook = Type.Object({
  id: Type.Integer(),
  active: Type.Boolean(),
  config: Type.Object({ url: Type.Optional(Type.String()) }),
});
const Delivery = Type.Object({
  id: Type.Integer(),
  guid: Type.String(),
  delivered_at: Type.String(),
  status_code: Type.Integer(),
});
const pageSize = 100;
const maxAttempts = 50;

/** Webhooks of repositories, for tokens; an App has one webhook for all, which GitHub keeps with the App. */
export function hookFunctions(client: GithubClient): Required<Pick<SourceControl, 'ensureWebhook' | 'redeliver'>> {
  return {
    async ensureWebhook(ref, url, secret) {
      const connection = await client.open(ref);
      if (connection.credential.kind === 'app') return;
      const path = `${repositoryPath(ref.repo)}/hooks`;
      try {
        const list = { does: 'list webhooks', path, query: { per_page: '100' }, answer: Type.Array(Hook) };
        const { data } = await client.call(connection, list);
        const known = data.find((hook) => hook.config.url === url);
        const body = {
          active: true,
          events: githubEvents,
          config: { url, content_type: 'json', secret, insecure_ssl: '0' },
        };
        if (known === undefined)
          await client.call(connection, {
            does: 'create a webhook',
            method: 'POST',
            path,
            body: { name: 'web', ...body },
            answer: Hook,
          });
        else
          await client.call(connection, {
            does: 'update a webhook',
            method: 'PATCH',
            path: `${path}/${known.id}`,
            body,
            answer: Hook,
          });
      } catch (error) {
        if (!(error instanceof GithubFailure) || ![403, 404].includes(error.status) || error.retryable) throw error;
        throw new ProviderError(
          `${nameOf(connection)} does not let the token manage webhooks of ${ref.repo}. Grant it "Webhooks: write" (a classic token: admin:repo_hook), or add the webhook there yourself.`,
          { retryable: false },
        );
      }
    },
    async redeliver(ref, since) {
      const connection = await client.open(ref);
      if (connection.credential.kind !== 'app') return;
      for (const id of await failedDeliveries(client, connection, since)) {
        const path = `/app/hook/deliveries/${id}/attempts`;
        await client.callAsApp(connection, { does: 'deliver again', method: 'POST', path, answer: Type.Unknown() });
      }
    },
  };
}

/** Lists the newest attempts since a time that failed and were not followed by another one, at most 50. */
async function failedDeliveries(client: GithubClient, connection: HostConnection, since: Date): Promise<number[]> {
  const query = { per_page: String(pageSize) };
  const call = { does: 'list deliveries', path: '/app/hook/deliveries', query, answer: Type.Array(Delivery) };
  const { data } = await client.callAsApp(connection, call);
  const newest = new Map<string, (typeof data)[number]>();
  for (const delivery of data) if (!newest.has(delivery.guid)) newest.set(delivery.guid, delivery);
  return [...newest.values()]
    .filter(({ status_code: status, delivered_at: at }) => (status < 200 || status > 299) && new Date(at) >= since)
    .slice(0, maxAttempts)
    .map(({ id }) => id);
}
