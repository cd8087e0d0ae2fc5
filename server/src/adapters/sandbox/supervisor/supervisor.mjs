// Runs inside a sandbox and does what the worker asks: newline-delimited JSON over the socket whose descriptor is its
// argument, described in protocol.ts. Plain JavaScript with nothing but Node, because this folder is all of the product that enters a sandbox.
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { dirname } from 'node:path';
import { acknowledge, endInput, killAll, limitThreads, signalRun, start, takeInput } from './commands.mjs';
import * as connections from './connections.mjs';
import { preparePipes } from './pipes.mjs';

// Node would open a debugger, or end.
process.on('SIGUSR1', () => undefined);

const readChunkBytes = 192 * 1024;
/** Maximum bytes of a file that were sent and not yet received by the worker. */
const readAheadBytes = 2 * 1024 * 1024;
const host = new net.Socket({ fd: Number(process.argv[2]), readable: true, writable: true, allowHalfOpen: true });
const writes = new Map();
const reads = new Map();
let baseEnv = {};

function send(event) {
  host.write(`${JSON.stringify(event)}\n`);
}

function failed(id, error) {
  send({ event: 'failed', id, code: String(error.code ?? 'EIO'), message: error.message });
}

function withCode(code, message) {
  return Object.assign(new Error(message), { code });
}

function init({ env, pipes, port, gateway, room_for: roomFor }) {
  baseEnv = env;
  limitThreads(roomFor);
  preparePipes(pipes);
  if (gateway === undefined) {
    send({ event: 'ready', port: 0 });
    return;
  }
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    const { socket, host: address, port: at, token } = gateway;
    const outside = net.connect({
      ...(socket === undefined ? { host: address, port: at } : { path: socket }),
      allowHalfOpen: true,
    });
    if (token !== undefined) outside.write(`${token}\n`);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
    inside.pipe(outside);
    outside.pipe(inside);
  });
  server.listen(port, '127.0.0.1', () => {
    const { port: listening } = server.address();
    baseEnv = { ...proxyVariables(`http://127.0.0.1:${listening}`), ...env };
    send({ event: 'ready', port: listening });
  });
}

/** Both spellings: programs disagree on which one they read. */
function proxyVariables(url) {
  const direct = '127.0.0.1,localhost';
  return { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url, no_proxy: direct, NO_PROXY: direct };
}

async function read({ id, path, max_bytes: maxBytes }) {
  let fd = -1;
  const transfer = { underWay: 0, goOn: () => undefined };
  reads.set(id, transfer);
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const tooLarge = withCode('EFBIG', `${path} is larger than ${maxBytes} bytes`);
    const found = fs.fstatSync(fd);
    if (!found.isFile()) throw withCode('EINVAL', `${path} is not a file`);
    if (found.size > maxBytes) throw tooLarge;
    const buffer = Buffer.allocUnsafe(readChunkBytes);
    let total = 0;
    for (let count = 1; count > 0;) {
      count = fs.readSync(fd, buffer, 0, Math.min(buffer.length, maxBytes + 1 - total), -1);
      total += count;
      // It may grow meanwhile, and some files do not tell their size.
      if (total > maxBytes) throw tooLarge;
      if (count > 0) send({ event: 'data', id, data: buffer.toString('base64', 0, count) });
      if (host.writableNeedDrain) await once(host, 'drain');
      transfer.underWay += count;
      while (transfer.underWay > readAheadBytes) await new Promise((goOn) => (transfer.goOn = goOn));
    }
    send({ event: 'done', id });
  } catch (error) {
    failed(id, error);
  } finally {
    reads.delete(id);
    if (fd >= 0) fs.closeSync(fd);
  }
}

/** The worker took bytes of a file, of a connection, or of what a command printed. */
function taken(message) {
  const transfer = reads.get(message.id);
  if (connections.isConnection(message)) return connections.acknowledge(message);
  if (transfer === undefined) return acknowledge(message);
  transfer.underWay -= message.bytes;
  transfer.goOn();
}

function write({ id, path, mode, replace, data, first, last }) {
  try {
    if (first) {
      fs.mkdirSync(dirname(path), { recursive: true });
      if (replace) fs.rmSync(path, { force: true });
      // Not blocking, so that a pipe of that name is refused instead of waited for.
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = fs.constants;
      writes.set(id, fs.openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode));
    }
    const fd = writes.get(id);
    if (fd === undefined) throw withCode('EBADF', `${path} is not open`);
    const content = Buffer.from(data, 'base64');
    for (let at = 0; at < content.length;) at += fs.writeSync(fd, content, at);
    if (last) {
      fs.fchmodSync(fd, mode);
      fs.closeSync(fd);
      writes.delete(id);
    }
    send({ event: 'done', id });
  } catch (error) {
    if (writes.has(id)) fs.closeSync(writes.get(id));
    writes.delete(id);
    failed(id, error);
  }
}

const operations = {
  init,
  ping: () => send({ event: 'pong' }),
  run: (message) => start(message, baseEnv, send),
  connect: (message) => connections.connect(message, send),
  stdin: (message) => (connections.isConnection(message) ? connections.takeInput(message) : takeInput(message, send)),
  stdin_end: (message) => (connections.isConnection(message) ? connections.endInput(message) : endInput(message)),
  taken,
  signal: (message) => (connections.isConnection(message) ? connections.close(message) : signalRun(message)),
  read,
  write,
};

/** The worker is gone, or wants us gone. */
function leave() {
  killAll();
  process.exit(0);
}

let pending = [];
host.on('data', (chunk) => {
  let from = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
    pending.push(chunk.subarray(from, at));
    from = at + 1;
    const message = JSON.parse(Buffer.concat(pending).toString('utf8'));
    pending = [];
    operations[message.op](message);
  }
  if (from < chunk.length) pending.push(chunk.subarray(from));
});
host.on('end', leave);
host.on('error', leave);
