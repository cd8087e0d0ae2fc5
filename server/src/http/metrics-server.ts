import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `/metrics` on loopback, with the text that `read` returns. Rejects if the port is taken. */
export async function serveMetrics(port: number, read: () => Promise<string>): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address: AddressInfo | string | null = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${listening}/metrics`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
