/** Git's packet lines (gitprotocol-common) and the command list of a receive-pack request (gitprotocol-pack). */

/** The bytes are not what the protocol allows; nothing more can be read from the stream. */
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
  /** Object ids in lower case; all zeros where the ref does not exist (before: created, after: deleted). */
  old: string;
  new: string;
}

export interface PushCommands {
  commands: PushCommand[];
  capabilities: string[];
  /** Whether a packet began a certificate, or looked as if it did. */
  isSigned: boolean;
  /** Bytes up to and with the flush packet; the packfile follows. */
  consumed: number;
}

export const flushPkt = Buffer.from('0000');
const maxPayload = 65_516;
/** Room for ten thousand refs with long names; more is not a push but an attack on memory. */
const maxCommandListBytes = 4 * 1024 * 1024;

/** One data packet. */
export function encodePkt(payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  if (bytes.length > maxPayload) throw new PktLineError('a packet line is too long');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** The same as text, where many are put together. */
export function pktText(payload: string): string {
  const length = Buffer.byteLength(payload);
  if (length > maxPayload) throw new PktLineError('a packet line is too long');
  return `${(length + 4).toString(16).padStart(4, '0')}${payload}`;
}

/** The packet at `offset`, or undefined while its bytes are incomplete. */
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

/** Of hundreds of thousands of packets in a row, so no text is made of it. */
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
 * Reads a command list that arrives in pieces: `push` answers undefined until the flush packet is there. `shallow` lines
 * are skipped, the commands inside a push certificate are commands too. Throws {@link PktLineError}.
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
        if (pkt.kind !== 'data') throw new PktLineError('an unexpected packet stands in the command list');
        if (offset > maxCommandListBytes) throw new PktLineError('the command list is too long');
        list.add(pkt.payload);
      }
      return undefined;
    },
  };
}

/** As {@link createPushReader}, for bytes that are all there: undefined when the list is incomplete. */
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
        // Exactly this packet ends it in receive-pack, which reads a packet of several lines as several commands.
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
  // A packet may have tens of thousands of empty lines.
  if (line.length < shortestCommand) return undefined;
  const match = /^([0-9a-fA-F]{40}|[0-9a-fA-F]{64}) ([0-9a-fA-F]{40}|[0-9a-fA-F]{64}) (.+)$/s.exec(line);
  const [, old = '', next = '', ref = ''] = match ?? [];
  return match === null || old.length !== next.length
    ? undefined
    : { ref, old: old.toLowerCase(), new: next.toLowerCase() };
}

/** Refs are compared as text, so bytes that would change in decoding are refused instead of being replaced. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new PktLineError('a line is not UTF-8');
  return text;
}
