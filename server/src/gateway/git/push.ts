import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { PktLineError, type PushCommands } from '../../git/pkt-line.ts';
import { parseReceiveReport, refusePush } from '../../git/receive-report.ts';
import { checkPush } from '../../git/ref-policy.ts';
import { answerText, relay, sendUpstream, type Exchange } from '../net/forward.ts';
import { PushGate, PushRefused } from './push-gate.ts';
import type { PushRight } from '../session.ts';

export interface PushCall {
  readonly right: PushRight;
  /** Rejects when the run has lost its lease. */
  assertHolds(): Promise<void>;
  /** Opens the request to the remote; called once the push is allowed. */
  open(framing: OutgoingHttpHeaders): Promise<ClientRequest>;
  /** Returns the response headers to pass back. Throws when the remote did not respond as a git host. */
  judge(answer: IncomingMessage): Record<string, string | number>;
  refused(reason: string): void;
  pushed(ref: string, commit: string): void;
}

const resultType = 'application/x-git-receive-pack-result';
/**
 * The part of a status report that is parsed. A ref takes one line, and hook output comes in addition; more than this is
 * forwarded unparsed.
 */
const maxReportBytes = 256 * 1024;

/** Serves `POST …/git-receive-pack`. Rejects with the errors of {@link PushCall} or of the socket. */
export async function servePush(exchange: Exchange, call: PushCall): Promise<void> {
  const { request, response } = exchange;
  const source = decodedBody(request);
  if (source === undefined) return answerText(response, 415, 'Unsupported content encoding. Send gzip or no encoding.');
  const decided = Promise.withResolvers<{ push: PushCommands; refusal?: string }>();
  const gate = new PushGate({
    async decide(push) {
      const refusal = refusalOf(push, call.right);
      decided.resolve(refusal === undefined ? { push } : { push, refusal });
      return refusal === undefined ? 'pass' : 'discard';
    },
    complete: () => call.assertHolds(),
  });
  const broken = Promise.withResolvers<never>();
  gate.on('error', (error) => broken.reject(error));
  source.once('error', (error) => gate.destroy(error));
  request.once('close', () => {
    if (!request.complete) gate.destroy(new Error('The client disconnected.'));
  });
  source.pipe(gate);
  try {
    const { push, refusal } = await Promise.race([decided.promise, broken.promise]);
    if (refusal !== undefined) {
      call.refused(refusal);
      gate.resume();
      await Promise.race([ended(gate), broken.promise]);
      answerRefusal(exchange, push, refusal);
      return;
    }
    await Promise.race([forward(exchange, call, gate, push), broken.promise]);
  } catch (error) {
    abandon(request, source, gate);
    if (!(error instanceof PktLineError) && !(error instanceof PushRefused)) throw error;
    call.refused(error.message);
    answerText(response, 400, `Invalid push request: ${error.message}.`);
  }
}

async function forward(exchange: Exchange, call: PushCall, gate: PushGate, push: PushCommands): Promise<void> {
  const { headers } = exchange.request;
  const plain = headers['content-encoding'] === undefined && headers['content-length'] !== undefined;
  const framing = plain ? { 'content-length': headers['content-length'] ?? '' } : { 'transfer-encoding': 'chunked' };
  const upstream = await call.open(framing);
  const answer = await sendUpstream(exchange, upstream, gate);
  let head: ReturnType<PushCall['judge']>;
  try {
    head = call.judge(answer);
  } catch (error) {
    upstream.destroy();
    throw error;
  }
  // A git host sends its response head before it has read the body. Until ours is sent, a lost lease can still be reported.
  await ended(gate);
  const tap = new ReportTap((report) => {
    const accepted = new Set(parseReceiveReport(report, push)?.ok);
    for (const { ref, new: commit } of push.commands) if (accepted.has(ref)) call.pushed(ref, commit);
  });
  await relay(exchange, answer, { status: 200, headers: head }, [tap]);
}

function refusalOf(push: PushCommands, right: PushRight): string | undefined {
  const rule = { allowedRef: `refs/heads/${right.branch}` };
  const verdict = checkPush(
    push.commands,
    right.commit === undefined ? rule : { ...rule, allowedCommit: right.commit },
  );
  if (!verdict.allowed) return verdict.reason;
  if (push.commands.length > 0 && !push.capabilities.some((name) => name.startsWith('report-status')))
    return 'a push must request a status report (report-status)';
  // Providers act on push options beyond refs; GitLab opens and merges requests by them.
  return push.capabilities.includes('push-options') ? 'push options are not accepted' : undefined;
}

/** Reports the refusal in git's status report where the client requested one, so that `git push` prints the reason. */
function answerRefusal({ response }: Exchange, push: PushCommands, reason: string): void {
  const report = refusePush(push, reason);
  if (report.length === 0) return answerText(response, 403, `Push rejected: ${reason}.`);
  response.writeHead(200, {
    'content-type': resultType,
    'content-length': report.length,
    'cache-control': 'no-cache',
    'x-guildhall-refused': 'git_policy',
  });
  response.end(report);
}

/** Discards the rest of the body, so that the client can read the response. */
function abandon(request: IncomingMessage, source: Readable, gate: PushGate): void {
  source.unpipe(gate);
  gate.destroy();
  if (source !== request) {
    request.unpipe();
    source.destroy();
  }
  request.resume();
}

function decodedBody(request: IncomingMessage): Readable | undefined {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return undefined;
  const gunzip = createGunzip();
  request.pipe(gunzip);
  return gunzip;
}

function ended(gate: PushGate): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (gate.readableEnded) resolve();
  gate.once('end', resolve);
  return promise;
}

/**
 * Forwards a response and parses a copy of a short one. Holds the last chunk until `read` was called, so that the pushed refs
 * are recorded before the client finishes.
 */
class ReportTap extends Transform {
  readonly #read: (report: Buffer) => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #held: Buffer | undefined;

  constructor(read: (report: Buffer) => void) {
    super();
    this.#read = read;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#size += chunk.length;
    if (this.#size <= maxReportBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
    const before = this.#held;
    this.#held = chunk;
    callback(null, before);
  }

  override _flush(callback: TransformCallback): void {
    this.#read(Buffer.concat(this.#chunks));
    callback(null, this.#held);
  }
}
