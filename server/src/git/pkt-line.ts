/** Git's packet lines (gitprotocol-common) and the command list of a receive-pack request (gitprotocol-pack). */

/** Thrown for bytes that violate the protocol, after which the stream is unusable. */
export class PktLineError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PktLineError';
  }
}

export type Pkt =
  | { kind: 'data'; payload: Buffer; next: number }
  | { kind: 'flush' | 'delimiter' | 'response-end'; next: number };

export interface PushCommand {
  ref: string;
  /** Object ids in lower case; all zeros if the ref does not exist (old: it is created, new: it is deleted). */
  old: string;
  new: string;
}

export interface PushCommands {
  commands: PushCommand[];
  capabilities: string[];
  /** A packet started a push certificate, or seemed to. */
  isSigned: boolean;
  /** Bytes up to and including the flush packet; the pack file follows. */
  consumed: number;
}

export const flushPkt = Buffer.from('0000');
const maxPayload = 65_516;
/** Enough for ten thousand refs with long names; a longer list is an attack on memory. */
const maxCommandListBytes = 4 * 1024 * 1024;

/** Encodes one data packet. */
export function encodePkt(payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  if (bytes.length > maxPayload) throw new PktLineError('a packet line is too long');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** Encodes a data packet as text, for joining many. */
export function pktText(payload: string): string {
  const length = Buffer.byteLength(payload);
  if (length > maxPayload) throw new PktLineError('a packet line is too long');
  return `${(length + 4).toString(16).padStart(4, '0')}${payload}`;
}

/** Reads the packet at `offset`; undefined while it is incomplete. */
export function readPkt(bytes: Buffer, offset: number): Pkt | undefined {
  if (bytes.length < offset + 4) return undefined;
  const length = lengthAt(bytes, offset);
  const next = offset + Math.max(length, 4);
  if (length === 0) return { kind: 'flush', next };
  if (length === 1) return { kind: 'delimiter', next };
  if (length === 2) return { kind: 'response-end', next };
  if (length === 3 || length > maxPayload + 4) throw new PktLineError('a packet line has a wrong length');
  return bytes.length < next ? undefined : { kind: 'data', payload: bytes.subarray(offset + 4, next), next };
}

/** Parses a packet's length without creating a string, because there may be hundreds of thousands of packets. */
function lengthAt(bytes: Buffer, offset: number): number {
  let length = 0;
  for (let at = offset; at < offset + 4; at += 1) {
    const digit = hexDigits[bytes[at] ?? 0] ?? -1;
    if (digit < 0) throw new PktLineError('a packet line has no length');
    length = length * 16 + digit;
  }
  return length;
}

const hexDigits = new Int8Array(256).fill(-1);
for (const letter of '0123456789abcdefABCDEF') hexDigits[letter.charCodeAt(0)] = Number.parseInt(letter, 16);

/**
 * Parses a command list that arrives in pieces: `push` returns undefined until the flush packet. Skips `shallow` lines, and
 * includes the commands in a push certificate. Throws {@link PktLineError}.
 */
export function createPushReader(): { push(chunk: Uint8Array): PushCommands | undefined } {
  let buffer = Buffer.alloc(4096);
  let length = 0;
  let offset = 0;
  const list = createCommandList();
  return {
    push(chunk) {
      if (length + chunk.length > buffer.length) {
        const larger = Buffer.alloc(Math.max(buffer.length * 2, length + chunk.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length += chunk.length;
      const bytes = buffer.subarray(0, length);
      for (let pkt = readPkt(bytes, offset); pkt !== undefined; pkt = readPkt(bytes, offset)) {
        offset = pkt.next;
        if (pkt.kind === 'flush') return { ...list.end(), consumed: offset };
        if (pkt.kind !== 'data') throw new PktLineError('the command list has an unexpected packet');
        if (offset > maxCommandListBytes) throw new PktLineError('the command list is too long');
        list.add(pkt.payload);
      }
      return undefined;
    },
  };
}

/** Like {@link createPushReader}, for complete input; undefined if the list is incomplete. */
export function parsePushCommands(bytes: Uint8Array): PushCommands | undefined {
  return createPushReader().push(bytes);
}

function createCommandList() {
  const commands: PushCommand[] = [];
  const capabilities: string[] = [];
  let inCertificate = false;
  let isSigned = false;

  return {
    add(payload: Buffer): void {
      const zero = payload.indexOf(0);
      const text = decode(zero < 0 ? payload : payload.subarray(0, zero));
      isSigned ||= text.startsWith('push-cert');
      if (inCertificate) {
        // Exactly this packet ends a certificate in receive-pack, which reads a packet of several lines as several commands.
        if (text === 'push-cert-end\n') inCertificate = false;
        else commands.push(...text.split('\n').flatMap((line) => parseCommand(line) ?? []));
        return;
      }
      const line = text.replace(/\n$/, '');
      if (zero >= 0)
        capabilities.push(
          ...decode(payload.subarray(zero + 1))
            .trim()
            .split(' ')
            .filter(Boolean),
        );
      if (line.startsWith('shallow ')) return;
      if (line === 'push-cert') {
        inCertificate = true;
        return;
      }
      const command = parseCommand(line);
      if (command === undefined) throw new PktLineError('expected old id, new id and ref');
      commands.push(command);
    },
    end(): Omit<PushCommands, 'consumed'> {
      if (inCertificate) throw new PktLineError('a push certificate has no end');
      return { commands, capabilities, isSigned };
    },
  };
}

const shortestCommand = 83;

function parseCommand(line: string): PushCommand | undefined {
  // Skips short lines quickly: a packet may have tens of thousands.
  if (line.length < shortestCommand) return undefined;
  const match = /^([0-9a-fA-F]{40}|[0-9a-fA-F]{64}) ([0-9a-fA-F]{40}|[0-9a-fA-F]{64}) (.+)$/s.exec(line);
  const [, old = '', next = '', ref = ''] = match ?? [];
  return match === null || old.length !== next.length
    ? undefined
    : { ref, old: old.toLowerCase(), new: next.toLowerCase() };
}

/** Decodes UTF-8. Refuses invalid bytes instead of replacing them, because refs are compared as text. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new PktLineError('a line is not UTF-8');
  return text;
}
