import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import type { Sent } from './client.ts';

const agent = new Agent({ keepAlive: true });

parentPort?.on('message', ({ id, method, url, headers = {}, via, body }: Sent & { id: number }) => {
  const answer = (status: number): void => parentPort?.postMessage({ id, status });
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const [socketPath = '', path = ''] = url.startsWith('unix:') ? url.slice(5).split('|') : [];
  const target = via !== undefined ? { path: url } : socketPath === '' ? {} : { socketPath, path };
  const options = { ...target, method, agent, headers: { ...headers, 'content-length': length } };
  const sent = request(via ?? (socketPath === '' ? url : 'http://gateway'), options, (response) => {
    response.resume();
    response.once('close', () => answer(response.statusCode ?? 0));
  });
  sent.once('connect', (response, socket) => {
    socket.destroy();
    answer(response.statusCode ?? 0);
  });
  sent.once('error', () => answer(0));
  sent.end(body);
});
