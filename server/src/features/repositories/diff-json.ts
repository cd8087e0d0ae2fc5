import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Value } from 'typebox/value';
import { ProviderError } from '../../lib/errors.ts';
import { pace } from '../../lib/pace.ts';
import { DiffShape, type Diff } from './change-request-schemas.ts';

/** The minimum size of a chunk, in characters; larger for a larger file. */
const pieceLength = 32 * 1_024;
const lineFeed = 0x0a;
const comma = 0x2c;
const lastLine = ']}';

/**
 * Streams a diff as JSON with one file per line, so that it is written and parsed in pieces, between which other work
 * can run.
 */
export function diffJson(diff: Diff): Readable {
  return Readable.from(piecesOf(diff), { objectMode: false });
}

async function* piecesOf({ files, ...head }: Diff): AsyncGenerator<Buffer> {
  let text = JSON.stringify({ ...head, files: [] }).slice(0, -2);
  for (const [at, file] of files.entries()) {
    text += `${at === 0 ? '' : ','}\n${JSON.stringify(file)}`;
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
    await pace();
  }
  yield Buffer.from(`${text}\n${lastLine}`);
}

/** Sends a diff as the response. */
export function sendDiff(reply: FastifyReply, diff: Diff): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(diffJson(diff));
}

/** Parses the output of {@link diffJson}. Throws ProviderError for anything else. */
export async function parseDiff(json: Buffer): Promise<Diff> {
  const first = json.indexOf(lineFeed);
  // Earlier versions wrote a single line.
  if (first < 0) return checked(parsed(json.toString()));
  const diff = checked(parsed(`${json.toString('utf8', 0, first)}${lastLine}`));
  let from = first + 1;
  for (let end = json.indexOf(lineFeed, from); end >= 0; end = json.indexOf(lineFeed, from)) {
    await pace();
    const file = parsed(json.toString('utf8', from, json[end - 1] === comma ? end - 1 : end));
    diff.files.push(...checked({ ...diff, files: [file] }).files);
    from = end + 1;
  }
  if (json.toString('utf8', from) !== lastLine) throw notSound();
  return diff;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw notSound();
  }
}

function checked(diff: unknown): Diff {
  if (Value.Check(DiffShape, diff)) return diff;
  throw notSound();
}

function notSound(): ProviderError {
  return new ProviderError('A stored diff is invalid.', { retryable: false });
}
