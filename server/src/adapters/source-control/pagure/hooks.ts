import { Type } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import type { SourceControl } from '../port.ts';
import { hostOf, PagureRefusal, type PagureClient } from './client.ts';
import { requireProject } from './project.ts';
import { Done } from './shapes.ts';

const Options = Type.Object({
  settings: Type.Object({ 'Web-hooks': Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
});

/** A project has a list of URLs. It signs with a secret of its own, which the API tells. */
export function ensureWebhookFunction(client: PagureClient): NonNullable<SourceControl['ensureWebhook']> {
  return async (repository, url) => {
    const { path } = requireProject(repository.repo);
    try {
      const options = await client.call(repository, { path: `${path}/options` }, Options, { isWhole: true });
      const urls = (options.settings['Web-hooks'] ?? '').split(/\s+/).filter(Boolean);
      if (urls.includes(url)) return;
      const form = { 'Web-hooks': [...urls, url].join('\n') };
      await client.call(repository, { method: 'POST', path: `${path}/options/update`, form }, Done);
    } catch (error) {
      if (!(error instanceof PagureRefusal)) throw error;
      const { url: host } = await client.open(repository);
      throw new ProviderError(
        `${hostOf(host)} does not let the token change the webhooks of ${repository.repo}. Give it the permission modify_project, or add the webhook there yourself.`,
        { retryable: false },
      );
    }
  };
}
