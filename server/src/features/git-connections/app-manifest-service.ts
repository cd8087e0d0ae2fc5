import { createHash, randomBytes } from 'node:crypto';
import type { NewHostApp } from '../../adapters/source-control/port.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import { appManifest, manifestPage } from './app-manifest.ts';
import {
  claimManifest,
  endManifest,
  insertManifest,
  lockManifest,
  releaseManifest,
  type ManifestRef,
} from './app-manifest-store.ts';
import type { CreateGitApp, PrepareGitApp } from './app-schemas.ts';
import { giveToGithub } from './app-secret-service.ts';
import { describeApp } from './app-service.ts';
import { insertApp } from './app-store.ts';
import { newHookSecret } from './hook-service.ts';
import { hostAddress } from './host-address.ts';

type AppContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'hostParts' | 'sourceControl'>;

/** GitHub's code is valid for an hour. */
const validMs = 3_600_000;
/** Longer than a call of the host; a request that died is forgotten then. */
const claimMs = 60_000;

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

/** Prepares an App of GitHub: returns the manifest and the page that takes it. The state is for one use by the caller. */
export async function prepareApp(ctx: AppContext, caller: Caller, input: PrepareGitApp) {
  const { url } = hostAddress('github', input.host);
  const { id: orgId, slug } = caller.organization;
  const now = ctx.clock.now();
  const id = newId('ga', now.getTime());
  const state = randomBytes(32).toString('base64url');
  const expires_at = new Date(now.getTime() + validMs);
  const name = input.name ?? `Guildhall ${slug}`.slice(0, 34);
  const { type, id: principalId } = caller.principal;
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      await insertManifest(trx, {
        state_hash: hashOf(state),
        org_id: orgId,
        git_app_id: id,
        url,
        principal_type: type,
        principal_id: principalId,
        expires_at,
      });
      audit({
        action: 'git_app.prepare',
        resource: { type: 'git_app', id },
        changes: { host: new URL(url).host, name },
      });
      const manifest = appManifest(ctx, { id, slug, name });
      return { url: manifestPage(url, input.github_organization ?? '', state), manifest, state, expires_at };
    },
    ['state', 'url'],
  );
}

interface Claim {
  readonly ref: ManifestRef;
  readonly id: string;
  readonly url: string;
  readonly until: Date;
}

/**
 * Creates the App that GitHub made of a manifest, by its code; its webhook gets a secret of ours if GitHub gave none. The state is
 * claimed for the exchange, and ends with the App or with GitHub's refusal. If GitHub does not respond, it is given back. If this
 * process dies, another request may try again after a minute; if GitHub has given the key by then, it refuses. Throws 400 for a
 * state that is not the caller's.
 */
export async function createApp(ctx: AppContext, caller: Caller, { code, state }: CreateGitApp) {
  const { id: orgId } = caller.organization;
  const convert = ctx.sourceControl.of('github').convertApp;
  if (convert === undefined) throw new AppError('conflict', 'This version does not create Apps.');
  const claim = await claimState(ctx, { orgId, stateHash: hashOf(state), principal: caller.principal });
  let made: NewHostApp;
  try {
    made = await convert(claim.url, code);
  } catch (error) {
    if (error instanceof ProviderError && error.retryable) await releaseManifest(ctx.db.kysely, claim.ref, claim.until);
    else if (error instanceof ProviderError) await endManifest(ctx.db.kysely, claim.ref, claim.until);
    throw error;
  }
  const secret = made.webhookSecret === '' ? newHookSecret() : made.webhookSecret;
  const app = await storeApp(ctx, caller, claim, { ...made, webhookSecret: secret });
  if (made.webhookSecret === '') await giveSecret(ctx, claim, made, secret);
  return app;
}

/** Gives GitHub a secret of ours, because it made the App without one. The App is stored: GitHub gives its key once. */
async function giveSecret(ctx: AppContext, { ref, id, url }: Claim, made: NewHostApp, secret: string): Promise<void> {
  try {
    await giveToGithub(ctx, ref.orgId, { id, url, app_id: made.appId, privateKey: made.privateKey }, secret);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new ProviderError(
      `The App ${made.slug} was created, but its webhook has no secret yet: ${messageOf(error)} Until it has one, nothing that it delivers is accepted. Rotate the webhook secret of the App.`,
      { retryable: false },
    );
  }
}

async function claimState(ctx: AppContext, ref: ManifestRef): Promise<Claim> {
  return ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const row = await lockManifest(trx, ref, now);
    if (row === undefined)
      throw fieldError(
        '/state',
        'is unknown, was used, or is older than an hour. If GitHub has the App and it is not listed here, delete it there. Prepare the App again.',
      );
    if (row.claimed_until !== null && now < row.claimed_until)
      throw new AppError(
        'conflict',
        'Another request exchanges this code. Look at the list of Apps, or try again in a minute.',
      );
    const until = new Date(now.getTime() + claimMs);
    await claimManifest(trx, ref, until);
    return { ref, id: row.git_app_id, url: row.url, until };
  });
}

async function storeApp(ctx: AppContext, caller: Caller, claim: Claim, made: NewHostApp) {
  const { orgId } = claim.ref;
  const { connections } = ctx.hostParts;
  const place = { orgId, connectionId: claim.id };
  const sealed_private_key = await connections.sealAppKey(place, made.privateKey);
  const sealed_webhook_secret = await connections.sealWebhookSecret(place, made.webhookSecret);
  return mutate(ctx, caller, async (trx, audit) => {
    // GitHub gives the key once. Whoever has it keeps it, also if another request has claimed the state since.
    await endManifest(trx, claim.ref);
    const row = await insertApp(trx, {
      id: claim.id,
      org_id: orgId,
      provider: 'github',
      url: claim.url,
      app_id: made.appId,
      slug: made.slug,
      name: made.name,
      html_url: made.htmlUrl,
      sealed_private_key,
      sealed_webhook_secret,
      created_at: ctx.clock.now(),
    });
    audit({
      action: 'git_app.create',
      resource: { type: 'git_app', id: row.id },
      changes: { host: new URL(row.url).host, app_id: row.app_id, slug: row.slug },
    });
    return describeApp(ctx, row);
  });
}
