import { githubEvents } from '../../adapters/source-control/github-events.ts';
import { consoleUrl } from '../../lib/console-url.ts';
import { hookIdOf } from './hook-store.ts';

/** Permissions of the App. It may not change workflows. */
const permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  members: 'read',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
};

/** Returns GitHub's description of an App to create, as JSON. */
export function appManifest(
  ctx: { readonly baseUrl: () => string },
  { id, slug, name }: { id: string; slug: string; name: string },
): string {
  const page = `${consoleUrl(ctx, slug)}/git-connections/app`;
  return JSON.stringify({
    name,
    url: ctx.baseUrl(),
    hook_attributes: { url: `${ctx.baseUrl()}/v3/hooks/${hookIdOf(id)}`, active: true },
    redirect_url: page,
    setup_url: `${page}?app=${id}`,
    setup_on_update: false,
    public: false,
    default_permissions: permissions,
    default_events: githubEvents,
  });
}

/** Returns the page of GitHub that takes the manifest, for an organization or for the person. */
export function manifestPage(hostUrl: string, organization: string, state: string): string {
  const owner = organization === '' ? '' : `/organizations/${encodeURIComponent(organization)}`;
  return `${hostUrl}${owner}/settings/apps/new?state=${state}`;
}
