import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CredentialRejected, HostConnection, HostConnections } from '../../adapters/source-control/connection.ts';
import type { HostCredential } from '../../adapters/source-control/connection.ts';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import type { Database } from '../../db/pool.ts';
import type { Clock } from '../../lib/clock.ts';
import { ProviderError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { readSealedSecrets } from './hook-store.ts';
import { markRevoked, readSealedConnection } from './store.ts';

interface OpenContext {
  readonly db: Database;
  readonly clock: Clock;
  /** Seals bytes for an organization and a purpose. */
  readonly seal: (orgId: string, purpose: string, bytes: Buffer) => Promise<Buffer>;
  /** Opens what was sealed for the same organization and purpose. */
  readonly unseal: (orgId: string, purpose: string, sealed: Buffer) => Promise<Buffer>;
}

const Credential = Type.Union([
  Type.Object({ kind: Type.Literal('token'), token: Type.String() }),
  Type.Object({
    kind: Type.Literal('app'),
    appId: Type.String(),
    privateKey: Type.String(),
    installationId: Type.String(),
  }),
]);

export interface OpenConnections extends HostConnections {
  /** Runs `work` with a reference that opens a connection that is not stored, for example to verify a new credential. */
  trying<T>(candidate: Omit<HostConnection, 'connectionId'>, work: (ref: ConnectionRef) => Promise<T>): Promise<T>;
  /** Returns a connection in any state; undefined if it does not exist or needs no credential. */
  stored(ref: ConnectionRef): Promise<StoredConnection | undefined>;
  sealCredential(ref: ConnectionRef, credential: HostCredential): Promise<Buffer>;
  /** Seals the secret of the host's deliveries. */
  sealWebhookSecret(ref: ConnectionRef, secret: string): Promise<Buffer>;
  /** Seals the private key of an App. */
  sealAppKey(ref: ConnectionRef, key: string): Promise<Buffer>;
  openAppKey(ref: ConnectionRef, sealed: Buffer): Promise<string>;
  openWebhookSecret(ref: ConnectionRef, sealed: Buffer): Promise<string>;
  /** Returns the secrets of a connection's webhook, the newest first. */
  webhookSecrets(ref: ConnectionRef): Promise<readonly string[]>;
  /** Records that a host rejected a connection's credential, unless it has another one by now. */
  rejected(error: CredentialRejected): Promise<void>;
}

interface StoredConnection {
  readonly connection: HostConnection;
  readonly state: string;
  readonly problem: string;
  /** The sealed credential. */
  readonly sealed: Buffer;
}

export function createOpenConnections(ctx: OpenContext): OpenConnections {
  const candidates = new Map<string, HostConnection>();
  const openWebhookSecret = async ({ orgId, connectionId }: ConnectionRef, sealed: Buffer): Promise<string> =>
    (await ctx.unseal(orgId, webhookPurpose(connectionId), sealed)).toString('utf8');
  return {
    async open(ref) {
      const candidate = candidates.get(ref.connectionId);
      if (candidate?.orgId === ref.orgId) return candidate;
      const stored = await openStored(ctx, ref);
      if (stored === undefined)
        throw unusable('The git connection no longer exists. Connect the repository through another one.');
      if (stored.state === 'revoked') throw unusable(stored.problem);
      return stored.connection;
    },
    async trying(candidate, work) {
      const { orgId } = candidate;
      const connectionId = newId('gc', ctx.clock.now().getTime());
      candidates.set(connectionId, { ...candidate, connectionId });
      try {
        return await work({ orgId, connectionId });
      } finally {
        candidates.delete(connectionId);
      }
    },
    stored: (ref) => openStored(ctx, ref),
    sealCredential: ({ orgId, connectionId }, credential) =>
      ctx.seal(orgId, credentialPurpose(connectionId), Buffer.from(JSON.stringify(credential))),
    sealWebhookSecret: ({ orgId, connectionId }, secret) =>
      ctx.seal(orgId, webhookPurpose(connectionId), Buffer.from(secret)),
    sealAppKey: ({ orgId, connectionId }, key) => ctx.seal(orgId, appKeyPurpose(connectionId), Buffer.from(key)),
    openAppKey: async ({ orgId, connectionId }, sealed) =>
      (await ctx.unseal(orgId, appKeyPurpose(connectionId), sealed)).toString('utf8'),
    openWebhookSecret,
    async webhookSecrets(ref) {
      const sealed = await readSealedSecrets(ctx.db.kysely, ref, ctx.clock.now());
      return Promise.all(sealed.map((one) => openWebhookSecret(ref, one)));
    },
    async rejected(error) {
      const stored = await openStored(ctx, error.ref);
      if (stored === undefined || !error.isOf(stored.connection.credential)) return;
      await markRevoked(ctx.db.kysely, error.ref, stored.sealed, error.message, ctx.clock.now());
    },
  };
}

async function openStored(
  ctx: OpenContext,
  { orgId, connectionId }: ConnectionRef,
): Promise<StoredConnection | undefined> {
  const row = await readSealedConnection(ctx.db.kysely, orgId, connectionId);
  if (row === undefined || row.sealed_credential === null) return undefined;
  const { url, state, problem, sealed_credential: sealed } = row;
  const text = await ctx.unseal(orgId, credentialPurpose(connectionId), sealed);
  const credential: unknown = JSON.parse(text.toString('utf8'));
  if (!Value.Check(Credential, credential)) throw new Error(`The credential of ${connectionId} has an unknown shape.`);
  const connection: HostConnection = { orgId, connectionId, url, credential };
  return { connection, state, problem, sealed };
}

/** The purpose that binds the sealed credential of a connection. */
function credentialPurpose(connectionId: string): string {
  return `git connection credential ${connectionId}`;
}

function appKeyPurpose(id: string): string {
  return `git app key ${id}`;
}

function webhookPurpose(connectionId: string): string {
  return `git connection webhook ${connectionId}`;
}

function unusable(message: string): ProviderError {
  return new ProviderError(message, { retryable: false });
}
