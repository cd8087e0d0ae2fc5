import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observe: (answer: { method: string; route: string; status: number; durationMs: number }) => void;
  /** Serves `/metrics` on loopback and returns its URL. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
}

/** A number that is read on each scrape, or one per label value. */
export type GaugeSource =
  | { help: string; read: () => Promise<number> }
  | { help: string; label: string; read: () => Promise<ReadonlyMap<string, number>> };

/** Creates Prometheus metrics for the operator. `gauges` are read on each scrape. */
export function createMetrics(gauges: Record<string, GaugeSource>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'guildhall_http_request_seconds',
    help: 'Response time in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  for (const [name, source] of Object.entries(gauges)) registry.registerMetric(gaugeOf(name, source));
  const server: Server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    observe: ({ method, route, status, durationMs }) =>
      durations.observe({ method, route, status: String(status) }, durationMs / 1_000),
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${portOf(server)}/metrics`));
      }),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function gaugeOf(name: string, source: GaugeSource): Gauge {
  const options = { name, help: source.help, registers: [] };
  if (!('label' in source))
    return new Gauge({
      ...options,
      async collect() {
        this.set(await source.read());
      },
    });
  const { label } = source;
  return new Gauge({
    ...options,
    labelNames: [label],
    async collect() {
      const values = await source.read();
      this.reset();
      for (const [value, count] of values) this.set({ [label]: value }, count);
    },
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
