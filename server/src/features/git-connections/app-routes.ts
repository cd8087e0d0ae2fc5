import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { List, ListQuery } from '../../http/schema.ts';
import { CreateGitApp, GitApp, GitAppManifest, PrepareGitApp } from './app-schemas.ts';
import { createApp, listApps, prepareApp } from './app-service.ts';
import * as examples from './examples.ts';

const path = '/git-connections';

/** The manifest flow of GitHub Apps. */
export function gitAppRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'hostParts' | 'sourceControl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/apps`,
      id: 'listGitApps',
      summary: 'List GitHub Apps',
      description: 'Those that were created here, newest first, without their keys. One may not be installed yet.',
      scope: 'repos:read',
      query: ListQuery({}),
      status: 200,
      answer: List(GitApp),
      handle: ({ caller, query }) => listApps(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: `${path}/app-manifests`,
      id: 'prepareGitApp',
      summary: 'Prepare a GitHub App',
      description:
        'Returns the manifest of an App for this organization, and the page of GitHub that takes it from a browser. GitHub creates the App and redirects to the console with a `code` and the `state`, for `POST /git-connections/apps`.',
      scope: 'repos:write',
      body: PrepareGitApp,
      examples: examples.prepareGitApp,
      status: 201,
      answer: GitAppManifest,
      handle: ({ caller, body }) => prepareApp(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: `${path}/apps`,
      id: 'createGitApp',
      summary: 'Create a GitHub App by its code',
      description:
        "Exchanges GitHub's code for the App's private key and webhook secret, which are stored encrypted and never shown. 400 unless the same caller prepared the App within the last hour; each state works once. Install the App next, then create a connection of the kind `app`.",
      scope: 'repos:write',
      body: CreateGitApp,
      examples: examples.createGitApp,
      status: 201,
      answer: GitApp,
      errors: [502],
      handle: ({ caller, body }) => createApp(ctx, caller, body),
    }),
  ];
}
