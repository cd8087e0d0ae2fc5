import type { Context } from '../../app/context.ts';
import { ProviderError } from '../../lib/errors.ts';
import { webhookHeaders } from '../../lib/standard-webhooks.ts';
import { productVersion } from '../../lib/version.ts';
import { open } from '../secrets/envelope.ts';
import type { Result } from './delivery-store.ts';
import { secretPurpose } from './service.ts';
import { readSigning } from './store.ts';

export type SendContext = Pick<Context, 'db' | 'clock' | 'keyRing' | 'outgoing'>;

/** The receiver of requests, with the secrets that sign them. */
export interface Receiver {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Returns the receiver of a webhook; undefined if it was deleted. */
export async function receiverOf(ctx: SendContext, orgId: string, id: string): Promise<Receiver | undefined> {
  const row = await readSigning(ctx.db.kysely, orgId, id);
  if (row === undefined) return undefined;
  const { sealed_previous_secret: previous, previous_until: until } = row;
  const sealed = [
    row.sealed_secret,
    ...(previous !== null && until !== null && until > ctx.clock.now() ? [previous] : []),
  ];
  const opened = await Promise.all(sealed.map((bytes) => open(ctx, orgId, secretPurpose(id), bytes)));
  return { url: row.url, secrets: opened.map((bytes) => bytes.toString('utf8')) };
}

/** Sends one request; a failure is a result, not an error. Rejects only if `signal` aborts. */
export async function attempt(
  ctx: Pick<Context, 'clock' | 'outgoing'>,
  { url, secrets }: Receiver,
  { id, payload }: { id: string; payload: string },
  signal: AbortSignal,
): Promise<Result> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': `guildhall/${productVersion}`,
    ...webhookHeaders({ id, body: payload, at: ctx.clock.now() }, secrets),
  };
  const start = performance.now();
  const took = (): number => Math.round(performance.now() - start);
  try {
    const { status, body } = await ctx.outgoing({ url, headers, body: payload, signal });
    return { status_code: status, problem: problemOf(status), response_body: body, duration_ms: took() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    return { status_code: null, problem: error.message, response_body: '', duration_ms: took() };
  }
}

function problemOf(status: number): string {
  if (status >= 200 && status < 300) return '';
  if (status >= 300 && status < 400) return `The receiver redirected with ${status}. Redirects are not followed.`;
  return `The receiver answered ${status}.`;
}
