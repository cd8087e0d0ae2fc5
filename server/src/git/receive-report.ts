import { encodePkt, flushPkt, pktText, readPkt } from './pkt-line.ts';
import type { PushCommands } from './pkt-line.ts';

/** receive-pack's report on a push: the updated refs, and the refused ones with the reason. */
export interface ReceiveReport {
  unpack: string;
  ok: string[];
  refused: { ref: string; reason: string }[];
}

/**
 * Creates the response body that refuses a push, each ref with `reason`. The git client shows `! [remote rejected] … (reason)`
 * and exits with 1. To be sent with status 200 and the content type of a receive-pack result.
 */
export function refusePush(push: Pick<PushCommands, 'commands' | 'capabilities'>, reason: string): Buffer {
  const clean = reason.replaceAll(/\s+/g, ' ').slice(0, 500);
  if (!push.capabilities.some((name) => name.startsWith('report-status'))) return Buffer.alloc(0);
  const refused = push.commands.map(({ ref }) => pktText(`ng ${ref} ${clean}\n`));
  const report = Buffer.from(`${pktText('unpack ok\n')}${refused.join('')}${flushPkt.toString()}`);
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

/**
 * Parses receive-pack's response to a push; undefined without a report (the client requested none, or git was killed). Ignores
 * refs beyond the number of pushed ones.
 */
export function parseReceiveReport(
  body: Buffer,
  { commands, capabilities }: Pick<PushCommands, 'commands' | 'capabilities'>,
): ReceiveReport | undefined {
  if (!capabilities.some((name) => name.startsWith('report-status'))) return undefined;
  const sideBand = capabilities.includes('side-band-64k') || capabilities.includes('side-band');
  const report: ReceiveReport = { unpack: '', ok: [], refused: [] };
  for (const line of dataLines(sideBand ? firstBand(body) : body)) {
    const text = line.toString('utf8').replace(/\n$/, '');
    const [word = '', second = ''] = text.split(' ', 2);
    if (word === 'unpack') report.unpack = text.slice('unpack '.length);
    else if (word === 'ok') report.ok.push(second);
    else if (word === 'ng') report.refused.push({ ref: second, reason: text.slice(word.length + second.length + 2) });
    if (report.ok.length + report.refused.length === commands.length && report.unpack !== '') break;
  }
  return report.unpack === '' ? undefined : report;
}

/** Extracts the first band, with a single copy however small the packets are. */
function firstBand(body: Buffer): Buffer {
  const band = Buffer.alloc(body.length);
  let length = 0;
  for (const line of dataLines(body)) if (line[0] === 1) length += line.copy(band, length, 1);
  return band.subarray(0, length);
}

function* dataLines(body: Buffer): Generator<Buffer> {
  let offset = 0;
  for (let pkt = readPkt(body, offset); pkt !== undefined; pkt = readPkt(body, offset)) {
    if (pkt.kind === 'data') yield pkt.payload;
    offset = pkt.next;
  }
}
