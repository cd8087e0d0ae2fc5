import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** For tests: packs that no git client writes. */
export interface PackEntry {
  type: 'commit' | 'tree' | 'blob' | 'tag';
  content: Uint8Array;
  /** The declared size, if it differs from the real one. */
  size?: number;
}

export interface DeltaEntry {
  /** The id of its base object. */
  base: string;
  delta: Uint8Array;
}

/** Creates a pack of these objects with a correct checksum. */
export function packOf(entries: readonly (PackEntry | DeltaEntry)[], count = entries.length): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...entries.map(encode)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const types = { commit: 1, tree: 2, blob: 3, tag: 4 };

function encode(entry: PackEntry | DeltaEntry): Buffer {
  if ('delta' in entry)
    return Buffer.concat([header(7, entry.delta.length), Buffer.from(entry.base, 'hex'), deflateSync(entry.delta)]);
  const { type, content, size = content.length } = entry;
  return Buffer.concat([header(types[type], size), deflateSync(content)]);
}

function header(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 128]), varint(rest)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

/** Creates a delta that copies its whole base and adds `added`. */
export function growingDelta(baseSize: number, added: Uint8Array): Buffer {
  const copies: Buffer[] = [];
  for (let at = 0; at < baseSize; at += 0xff_ff_ff) {
    const copy = Buffer.alloc(8);
    copy[0] = 0xff;
    copy.writeUInt32LE(at, 1);
    copy.writeUIntLE(Math.min(0xff_ff_ff, baseSize - at), 5, 3);
    copies.push(copy);
  }
  return Buffer.concat([
    varint(baseSize),
    varint(baseSize + added.length),
    ...copies,
    Buffer.from([added.length]),
    added,
  ]);
}

/** Returns the id that git gives an object. */
function idOf(type: PackEntry['type'], content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

/**
 * Creates one blob, deltas that each make an equally large one of it, and a commit with the blob; returns the commit
 * and the pack.
 */
export function deltaBomb(blobBytes: number, deltas: number): { commit: string; pack: Buffer } {
  const blob = Buffer.alloc(blobBytes);
  const base = idOf('blob', blob);
  const tree = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(base, 'hex')]);
  const who = 'Ada <ada@example.org> 1700000000 +0000';
  const commit = Buffer.from(`tree ${idOf('tree', tree)}\nauthor ${who}\ncommitter ${who}\n\nbomb\n`);
  const pack = packOf([
    { type: 'commit', content: commit },
    { type: 'tree', content: tree },
    { type: 'blob', content: blob },
    ...Array.from({ length: deltas }, (_, at) => ({
      base,
      delta: growingDelta(blobBytes, Buffer.from(String(at).padStart(8, '0'))),
    })),
  ]);
  return { commit: idOf('commit', commit), pack };
}
