import { encodePkt, flushPkt, readPkt } from './pkt-line.ts';
import type { PushCommands } from './pkt-line.ts';

/** What receive-pack said about a push: the refs it set, and those it refused with its reason. */
export interface ReceiveReport {
  unpack: string;
  ok: string[];
  refused: { ref: string; reason: string }[];
}

/**
 * The body that tells a git client its push was refused, each ref with `reason`; the client shows
 * `! [remote rejected] … (reason)` and exits 1. Send it with status 200 and the type of a receive-pack result.
 */
export function refusePush(push: Pick<PushCommands, 'commands' | 'capabilities'>, reason: string): Buffer {
  const clean = reason.replaceAll(/\s+/g, ' ').slice(0, 500);
  const lines = [
    encodePkt('unpack ok\n'),
    ...push.commands.map(({ ref }) => encodePkt(`ng ${ref} ${clean}\n`)),
    flushPkt,
  ];
  if (!push.capabilities.some((name) => name.startsWith('report-status'))) return Buffer.alloc(0);
  const report = Buffer.concat(lines);
  const sideBand = push.capabilities.includes('side-band-64k')
    ? 65_515
    : push.capabilities.includes('side-band')
      ? 995
      : 0;
  if (sideBand === 0) return report;
  const packets: Buffer[] = [];
  for (let start = 0; start < report.length; start += sideBand) {
    packets.push(encodePkt(Buffer.concat([Buffer.from([1]), report.subarray(start, start + sideBand)])));
  }
  return Buffer.concat([...packets, flushPkt]);
}

/** Reads receive-pack's answer; undefined when it holds no report (the client asked for none, or git died first). */
export function parseReceiveReport(body: Buffer, capabilities: readonly string[]): ReceiveReport | undefined {
  if (!capabilities.some((name) => name.startsWith('report-status'))) return undefined;
  const sideBand = capabilities.includes('side-band-64k') || capabilities.includes('side-band');
  const report: ReceiveReport = { unpack: '', ok: [], refused: [] };
  for (const line of dataLines(sideBand ? firstBand(body) : body)) {
    const text = line.toString('utf8').replace(/\n$/, '');
    const [word = '', second = ''] = text.split(' ', 2);
    if (word === 'unpack') report.unpack = text.slice('unpack '.length);
    else if (word === 'ok') report.ok.push(second);
    else if (word === 'ng') report.refused.push({ ref: second, reason: text.slice(word.length + second.length + 2) });
  }
  return report.unpack === '' ? undefined : report;
}

function firstBand(body: Buffer): Buffer {
  return Buffer.concat([...dataLines(body)].filter((line) => line[0] === 1).map((line) => line.subarray(1)));
}

function* dataLines(body: Buffer): Generator<Buffer> {
  let offset = 0;
  for (let pkt = readPkt(body, offset); pkt !== undefined; pkt = readPkt(body, offset)) {
    if (pkt.kind === 'data') yield pkt.payload;
    offset = pkt.next;
  }
}
