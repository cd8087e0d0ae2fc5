import { pipeline, Readable } from 'node:stream';
import { createDeflate } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import { zeroId } from './names.ts';
import { gitFailure, spawnGit } from './native.ts';

/** Longer lines are content: git's header lines have at most two paths. */
const maxLineBytes = 64 * 1024;

/**
 * Adds the content of binary files to a patch that only says that they differ, so that `git apply` accepts it. The patch must
 * have full ids, whose contents the repository must have. Throws a ProviderError if one is missing.
 */
export async function* withBinaries(patch: AsyncIterable<Buffer>, gitDir: string): AsyncGenerator<Buffer> {
  const objects = openObjects(gitDir);
  try {
    let rest: Buffer = Buffer.alloc(0);
    let id = zeroId;
    let isInside = false;
    for await (const chunk of patch) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      let at = 0;
      for (let end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
        const line = isInside ? '' : headerLine(bytes, at, end);
        isInside = false;
        id = /^index [0-9a-f]{40}\.\.([0-9a-f]{40})/.exec(line)?.[1] ?? id;
        if (!line.startsWith('Binary files ')) continue;
        yield bytes.subarray(from, at);
        yield* binaryHunk(id === zeroId ? { size: 0, content: Readable.from([]) } : await objects.read(id));
        from = end + 1;
      }
      rest = bytes.subarray(at);
      if (rest.length <= maxLineBytes) {
        yield bytes.subarray(from, at);
        continue;
      }
      yield bytes.subarray(from);
      rest = Buffer.alloc(0);
      isInside = true;
    }
    yield rest;
  } finally {
    await objects.close();
  }
}

/** Returns a header line that may concern a binary file; '' for other lines. Content lines begin with a sign. */
function headerLine(bytes: Buffer, at: number, end: number): string {
  const first = bytes[at];
  return first === 0x42 || first === 0x69 ? bytes.toString('latin1', at, end) : '';
}

interface Content {
  size: number;
  content: AsyncIterable<Buffer>;
}

function openObjects(gitDir: string) {
  const stop = new AbortController();
  const child = spawnGit(['cat-file', '--batch'], { gitDir, timeoutMs: 10 * 60_000, signal: stop.signal });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const bytes = new ByteReader(child.stdout);
  return {
    /** Reads an object, to its end before the next. */
    async read(id: string): Promise<Content> {
      child.stdin.write(`${id}\n`);
      const head = await bytes.line();
      const size = /^[0-9a-f]{40} blob (\d+)$/.exec(head)?.[1];
      if (size === undefined) throw gitFailure('cat-file', 1, `${Buffer.concat(errors).toString('utf8')} ${head}`);
      return { size: Number(size), content: wholeOf(bytes, Number(size)) };
    },
    async close(): Promise<void> {
      stop.abort();
      await child.ended;
    },
  };
}

async function* wholeOf(bytes: ByteReader, size: number): AsyncGenerator<Buffer> {
  yield* bytes.pieces(size);
  await bytes.take(1);
}

const lineBytes = 52;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** Encodes a file for a patch (git's base85.c and diff.c): deflated, in lines of up to 52 bytes with their length. */
async function* binaryHunk({ size, content }: Content): AsyncGenerator<Buffer> {
  yield Buffer.from(`GIT binary patch\nliteral ${size}\n`);
  let rest: Buffer = Buffer.alloc(0);
  // The reader below gets errors of the content.
  const deflated = pipeline(Readable.from(content, { objectMode: false }), createDeflate(), () => undefined);
  for await (const piece of deflated) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)]);
    const whole = bytes.length - (bytes.length % lineBytes);
    if (whole > 0) yield encodeLines(bytes.subarray(0, whole));
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield encodeLines(rest);
  yield Buffer.from('\n');
}

function encodeLines(bytes: Buffer): Buffer {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += lineBytes) {
    const line = bytes.subarray(at, at + lineBytes);
    const length = line.length;
    const padded = length % 4 === 0 ? line : Buffer.concat([line, Buffer.alloc(4 - (length % 4))]);
    let text = String.fromCharCode(length <= 26 ? 64 + length : 70 + length);
    for (let word = 0; word < padded.length; word += 4) {
      let value = padded.readUInt32BE(word);
      let group = '';
      for (let digit = 0; digit < 5; digit += 1) {
        group = digits.charAt(value % 85) + group;
        value = Math.floor(value / 85);
      }
      text += group;
    }
    lines.push(text);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}
