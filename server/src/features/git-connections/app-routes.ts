import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { CreateGitApp, GitApp, GitAppManifest, PrepareGitApp, RotateGitAppSecret } from './app-schemas.ts';
import { rotateAppSecret } from './app-secret-service.ts';
import { createApp, prepareApp } from './app-manifest-service.ts';
import { deleteApp, getApp, listApps } from './app-service.ts';
import * as examples from './examples.ts';

const path = '/git-connections';
const one = `${path}/apps/:id`;
const params = { id: Id };

/** GitHub Apps: the manifest flow that creates them, and what becomes of them. */
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
        "Exchanges GitHub's code for the App's private key and webhook secret, which are stored encrypted and never shown. 400 unless the same caller prepared the App within the last hour; each state works once, and ends with a refusal of GitHub. 502 `upstream_error` if GitHub did not respond: send the same request again. 409 `conflict` while another request exchanges the code. Install the App next, then create a connection of the kind `app`.",
      scope: 'repos:write',
      body: CreateGitApp,
      examples: examples.createGitApp,
      status: 201,
      answer: GitApp,
      errors: [409, 502],
      handle: ({ caller, body }) => createApp(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: one,
      id: 'getGitApp',
      summary: 'Get a GitHub App',
      description: 'Without its keys.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: GitApp,
      handle: ({ caller, params: { id } }) => getApp(ctx, caller, id),
    }),
    route({
      method: 'DELETE',
      path: one,
      id: 'deleteGitApp',
      summary: 'Delete a GitHub App',
      description:
        'Deletes its private key and webhook secret here. 409 `connection_in_use`, with their names, while connections use it: delete these first. The App at GitHub remains until its owner deletes it there; `html_url` is its address.',
      scope: 'repos:write',
      params,
      status: 204,
      answer: Type.Null(),
      record: GitApp,
      errors: [409],
      handle: ({ caller, params: { id } }) => deleteApp(ctx, caller, id),
    }),
    route({
      method: 'POST',
      path: `${one}/rotate-webhook-secret`,
      id: 'rotateGitAppWebhookSecret',
      summary: "Rotate a GitHub App's webhook secret",
      description:
        "Gives the App's webhook a new secret at GitHub, and the present URL of this server. Nobody is shown the secret. The old one stays valid until GitHub confirmed the new one, and for `overlap_seconds` after that, so no delivery is lost. 502 `upstream_error` if GitHub did not confirm: nothing changed here, and another request continues. 409 `conflict` while another request rotates it.",
      scope: 'repos:write',
      params,
      body: RotateGitAppSecret,
      examples: examples.rotateGitAppSecret,
      status: 200,
      answer: GitApp,
      errors: [409, 502],
      handle: ({ caller, params: { id }, body }) => rotateAppSecret(ctx, caller, id, body.overlap_seconds),
    }),
  ];
}
