import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { named, openDatabase } from '../../server/src/db/pool.ts';
import { authenticationStatement } from '../../server/src/features/keys/store.ts';
import { getStatement, listStatement } from '../../server/src/features/sessions/store/wire-store.ts';
import { hashKey } from '../../server/src/lib/keys.ts';

/**
 * The lower bound for the API: bare `node:http`, which runs the same named statements for the key and the rows and
 * sends the same bytes, without routing, limits, logs, validation or serialization.
 */
const [connectionString = '', listFile = '', getFile = '', base = ''] = process.argv.slice(2);
const bodies = { list: readFileSync(listFile), get: readFileSync(getFile) };
const db = openDatabase({ connectionString, maxConnections: 20, applicationName: 'bare peer' });

const server = createServer((request, response) => void respond(request, response));

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const key = (request.headers.authorization ?? '').slice('Bearer '.length);
    const body = await answer(key, /\/sessions\/(.+)$/.exec(request.url ?? '')?.[1]);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  } catch {
    response.writeHead(500).end();
  }
}

async function answer(key: string, id: string | undefined): Promise<Buffer> {
  const [row] = await named<{ org_id: string }>(db, 'authenticate', authenticationStatement, [hashKey(key)]);
  if (row === undefined) throw new Error('unknown key');
  if (id === undefined) await named(db, 'sessions_list', listStatement, [row.org_id, '', 51, base, '']);
  else await named(db, 'session_get', getStatement, [row.org_id, id, base, '']);
  return id === undefined ? bodies.list : bodies.get;
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
