// Connections to servers inside: the worker opens one to a port of the loopback interface, and its bytes take the same way as
// a command's, in the same windows. Its events are those of a command with one stream.
import net from 'node:net';

/** Bytes that may be on their way to the worker; a server that sends more waits, as on any connection. */
const windowBytes = 256 * 1024;
const connectWithinMs = 5_000;
const mostConnections = 64;
/** Programs listen on either, depending on how they resolve `localhost`. */
const addresses = ['127.0.0.1', '::1'];

const connections = new Map();

export function isConnection({ id }) {
  return connections.has(id);
}

export function connect({ id, port }, send) {
  if (connections.size >= mostConnections) {
    send({ event: 'failed', id, code: 'EAGAIN', message: `${mostConnections} connections are open` });
    return;
  }
  const connection = { id, send, socket: undefined, unacknowledged: 0 };
  connections.set(id, connection);
  attempt(connection, port, addresses);
}

function attempt(connection, port, [host, ...others]) {
  const { id, send } = connection;
  const socket = net.connect({ host, port, allowHalfOpen: true, noDelay: true });
  connection.socket = socket;
  const late = setTimeout(() => socket.destroy(new Error('timed out')), connectWithinMs);
  const refused = (error) => {
    clearTimeout(late);
    if (connections.get(id) !== connection) return;
    if (others.length > 0) return attempt(connection, port, others);
    connections.delete(id);
    send({ event: 'failed', id, code: String(error.code ?? 'EIO'), message: error.message });
  };
  socket.once('error', refused);
  socket.once('connect', () => {
    clearTimeout(late);
    socket.off('error', refused);
    follow(connection);
    send({ event: 'started', id });
  });
}

function follow(connection) {
  const { id, send, socket } = connection;
  socket.on('data', (chunk) => {
    connection.unacknowledged += chunk.length;
    send({ event: 'output', id, stream: 1, data: chunk.toString('base64') });
    if (connection.unacknowledged >= windowBytes) socket.pause();
  });
  // The server may end its half first; nothing that we preview sends a request after its answer.
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (!connections.delete(id)) return;
    send({ event: 'exit', id, code: 0, signal: null, timed_out: false, duration_ms: 0 });
  });
}

export function takeInput({ id, data }) {
  const { socket, send } = connections.get(id);
  const bytes = Buffer.from(data, 'base64');
  const taken = () => send({ event: 'stdin_taken', id, bytes: bytes.length });
  if (socket.writable) socket.write(bytes, taken);
  else taken();
}

export function endInput({ id }) {
  connections.get(id).socket.end();
}

/** The worker has dealt with that many bytes. */
export function acknowledge({ id, bytes }) {
  const connection = connections.get(id);
  connection.unacknowledged -= bytes;
  if (connection.unacknowledged < windowBytes) connection.socket.resume();
}

export function close({ id }) {
  connections.get(id).socket.destroy();
}
