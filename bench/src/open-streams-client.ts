import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { spreadOf } from './agents-figures.ts';

/** Holds streams of sessions open, and writes what arrived to a file when it is told to end. */
const [url = '', key = '', idsFile = '', wanted = '', resultFile = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const ids = readFileSync(idsFile, 'utf8').split('\n');
const count = Number(wanted);
/** Connections that are being opened at the same time. */
const atOnce = 64;

const arrivals: number[] = [];
let [heartbeats, lost] = [0, 0];
let isEnding = false;

/** Opens a stream; resolves with its first frame. A bare socket costs this program less than a request. */
async function open(id: string): Promise<Socket> {
  const first = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname);
  let rest = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const now = Date.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.includes('event: status')) first.resolve();
      else if (block.includes('event: output')) arrivals.push(now - at(block));
      else if (block.includes(': heartbeat')) heartbeats += 1;
    }
  });
  socket.once('error', first.reject).once('close', () => {
    if (!isEnding) lost += 1;
    first.reject(new Error('the stream ended'));
  });
  socket.write(
    `GET /v3/organizations/default/sessions/${id}/events/stream HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
  await first.promise;
  socket.on('error', () => undefined);
  return socket;
}

function at(block: string): number {
  return Date.parse(/"created_at":"([^"]+)"/.exec(block)?.[1] ?? '');
}

const sockets: Socket[] = [];
let next = 0;
const begun = performance.now();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < count) {
      const id = ids[next % ids.length] ?? '';
      next += 1;
      sockets.push(await open(id));
    }
  }),
);
process.on('SIGTERM', () => {
  isEnding = true;
  writeFileSync(resultFile, JSON.stringify({ arrived: arrivals.length, ms: spreadOf(arrivals), heartbeats, lost }));
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ event: 'ready', seconds: (performance.now() - begun) / 1_000 })}\n`);
setInterval(() => undefined, 60_000);
