import { Type } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import type { SourceControl } from '../port.ts';
import { parsed, type GitlabClient } from './client.ts';
import { hostOf } from './problems.ts';

const Hook = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  /** Absent in older versions. */
  alert_status: Type.Optional(Type.String()),
});
const events = {
  push_events: true,
  tag_push_events: true,
  merge_requests_events: true,
  note_events: true,
  issues_events: true,
  pipeline_events: true,
  job_events: true,
};

/** Creates or updates the webhook of a project. One that GitLab disabled after failures gets a test, which enables it again. */
export function ensureWebhookFunction(client: GitlabClient): NonNullable<SourceControl['ensureWebhook']> {
  return async (repository, url, secret) => {
    const listed = await client.inProject(repository, { path: 'hooks', query: { per_page: 100 } });
    if ([401, 403].includes(listed.status))
      throw new ProviderError(
        `${hostOf(listed.connection)} does not let the token manage webhooks of ${repository.repo}. Give its account the role Maintainer, or add the webhook there yourself.`,
        { retryable: false },
      );
    const known = parsed(Type.Array(Hook), listed).find((hook) => hook.url === url);
    const body = { ...events, url, token: secret, enable_ssl_verification: true };
    if (known === undefined) {
      parsed(Hook, await client.inProject(repository, { method: 'POST', path: 'hooks', body }));
      return;
    }
    parsed(Hook, await client.inProject(repository, { method: 'PUT', path: `hooks/${known.id}`, body }));
    if ((known.alert_status ?? 'executable') === 'executable') return;
    // A delivery that succeeds enables the webhook again.
    const test = { method: 'POST' as const, path: `hooks/${known.id}/test/push_events` };
    await client.inProject(repository, test);
  };
}
