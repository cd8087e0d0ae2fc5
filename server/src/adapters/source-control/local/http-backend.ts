import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../../lib/errors.ts';
import {
  defaultMaxPushBytes,
  isMalformed,
  protocolOf,
  refuse,
  run,
  send,
  type Served,
  type ServeOptions,
} from './exchange.ts';
import { gitBytes } from '../../../git/native.ts';
import { flushPkt, encodePkt, PktLineError } from '../../../git/pkt-line.ts';
import { receivePush } from './receive-push.ts';

const maxFetchRequestBytes = 32 * 1024 * 1024;
/** Bytes of a push's commands, in addition to the limit of the pack. Git itself refuses a larger pack with a clear message. */
const commandListAllowance = 64 * 1024 * 1024;

/**
 * Serves one request of git's smart HTTP protocol (gitprotocol-http; versions 0 and 2) from a bare repository, streaming both
 * ways. A disconnect of the client ends the git process. Resolves when the exchange has ended; rejects only with an error of
 * `authorizePush` or `onRefsUpdated`, or if git failed after the response had started.
 */
export async function serveGit(options: ServeOptions): Promise<Served> {
  const expected = options.endpoint === 'info/refs' ? 'GET' : 'POST';
  if (options.request.method !== expected) return refuse(options, 405, `Use ${expected}.`);
  if (!(await exists(join(options.repositoryPath, 'HEAD')))) return refuse(options, 404, 'No such repository.');
  if (options.endpoint === 'info/refs') return advertise(options);
  const type = options.request.headers['content-type'];
  if (type !== `application/x-git-${options.service}-request`) return refuse(options, 415, 'Not a git request.');
  const encoding = options.request.headers['content-encoding'] ?? 'identity';
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) return refuse(options, 415, 'Unknown content encoding.');
  const source = encoding === 'identity' ? options.request : gunzip(options.request);
  const maxBytes =
    options.service === 'upload-pack' ? maxFetchRequestBytes : (options.maxPushBytes ?? defaultMaxPushBytes);
  // By default, leaving the iterator early would destroy the request, and with it the response's socket.
  const body = capped(source.iterator({ destroyOnReturn: false }), maxBytes + commandListAllowance);
  try {
    return options.service === 'upload-pack' ? await upload(options, body) : await receivePush(options, body);
  } catch (error) {
    if (options.response.destroyed) return { status: 499, updates: [] };
    if (isMalformed(error)) return refuse(options, 400, `Malformed request: ${messageOf(error)}.`);
    if (!options.response.headersSent) refuse(options, 500, 'The request failed.');
    throw error;
  }
}

async function advertise(options: ServeOptions): Promise<Served> {
  const { service } = options;
  const type = `application/x-git-${service}-advertisement`;
  if (service === 'upload-pack' && /(?:^|:)version=2(?:$|:)/.test(protocolOf(options) ?? '')) {
    const offered = await capabilities(options.repositoryPath);
    return offered === undefined ? refuse(options, 500, 'git failed.') : send(options, 200, type, offered);
  }
  const head = [encodePkt(`# service=git-${service}\n`), flushPkt];
  return run(options, ['--http-backend-info-refs'], type, head, nothing());
}

let known: Promise<Buffer | undefined> | undefined;

/**
 * Returns the advertisement of protocol version 2, which says nothing about a repository, so git writes it once. Undefined if git
 * fails.
 */
async function capabilities(repositoryPath: string): Promise<Buffer | undefined> {
  known ??= gitBytes(['upload-pack', '--stateless-rpc', '--http-backend-info-refs', '.'], {
    cwd: repositoryPath,
    env: { GIT_PROTOCOL: 'version=2' },
  }).then(
    ({ stdout }) => Buffer.from(stdout),
    () => undefined,
  );
  const offered = await known;
  if (offered === undefined) known = undefined;
  return offered;
}

async function upload(options: ServeOptions, body: AsyncIterable<Uint8Array>): Promise<Served> {
  return run(options, [], 'application/x-git-upload-pack-result', [], body);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

function gunzip(request: Readable): Readable {
  const plain = createGunzip();
  request.on('error', (error) => plain.destroy(error));
  request.on('close', () => {
    if (!request.readableEnded) plain.destroy(new Error('the client disconnected'));
  });
  return request.pipe(plain);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* capped(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new PktLineError('it is too long');
    yield chunk;
  }
}
