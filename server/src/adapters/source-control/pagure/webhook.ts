import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { LongJson } from '../../../lib/long-json.ts';
import type { ConnectionRef, SourceControl, WebhookDelivery } from '../port.ts';
import { PagureRefusal, type PagureClient } from './client.ts';
import { hmacOf, isSame } from '../signatures.ts';
import { projectOf, repoOf } from './project.ts';
import { WebhookToken } from './shapes.ts';

/** A new token counts after this time; forged deliveries make one request to Pagure in it. */
const keepMs = 60_000;
const maxTokens = 1_000;

const Payload = Type.Object({ msg: Type.Object({ project_fullname: Type.String() }) });
const limits = { values: 200_000, depth: 50 };

/**
 * Verifies deliveries of Pagure's webhooks. Each project signs with a token of its own, which Pagure tells to the accounts that
 * work on the project. A delivery is about the project that signed it, or it is not valid.
 */
export function createWebhooks(client: PagureClient, now: () => Date): Required<Pick<SourceControl, 'verifyWebhook'>> {
  const tokens = new Map<string, { token: Promise<string | undefined>; until: number }>();

  function tokenFor(connection: ConnectionRef, path: string): Promise<string | undefined> {
    const key = `${connection.orgId} ${connection.connectionId} ${path}`;
    const known = tokens.get(key);
    if (known !== undefined && known.until > now().getTime()) return known.token;
    if (tokens.size >= maxTokens) tokens.clear();
    const token = readToken(client, connection, path);
    tokens.set(key, { token, until: now().getTime() + keepMs });
    token.catch(() => tokens.delete(key));
    return token;
  }

  return {
    async verifyWebhook(connection, delivery) {
      const fullName = headerOf(delivery, 'x-pagure-project');
      const signature = headerOf(delivery, 'x-pagure-signature-256');
      const path = projectOf(repoOf(fullName) ?? '')?.path;
      if (path === undefined || !/^[0-9a-f]{64}$/.test(signature)) return false;
      const token = await tokenFor(connection, path);
      if (token === undefined) return false;
      const expected = await hmacOf(token, delivery.body);
      return isSame(expected, Buffer.from(signature, 'hex')) && (await isAbout(delivery.body, fullName));
    },
  };
}

/** Returns undefined if Pagure does not tell it: the project does not exist, or the account does not work on it. */
async function readToken(client: PagureClient, connection: ConnectionRef, path: string): Promise<string | undefined> {
  const read = client.call(connection, { path: `${path}/webhook/token` }, WebhookToken);
  return read.then(
    ({ webhook }) => webhook.token,
    (error: unknown) => {
      if (error instanceof PagureRefusal) return undefined;
      throw error;
    },
  );
}

async function isAbout(body: Uint8Array, fullName: string): Promise<boolean> {
  const payload = await LongJson.read(Buffer.from(body), limits).then(
    ({ value }) => value,
    () => undefined,
  );
  return Value.Check(Payload, payload) && payload.msg.project_fullname === fullName;
}

function headerOf({ headers }: WebhookDelivery, wanted: string): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
}
