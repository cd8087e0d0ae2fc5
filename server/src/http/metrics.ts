import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observe: (answer: { method: string; route: string; status: number; durationMs: number }) => void;
  /** Returns the text for a scraper. */
  text(): Promise<string>;
  /** Returns the same for the process that supervises this one. */
  values(): Promise<unknown[]>;
}

/**
 * A number that is read on each scrape, or one per label value. `ofSeveral` is which number of several processes counts, by
 * default the largest.
 */
export type GaugeSource = { help: string; ofSeveral?: 'min' } & (
  | { read: () => Promise<number> }
  | { label: string; read: () => Promise<ReadonlyMap<string, number>> }
);

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
  return {
    observe: ({ method, route, status, durationMs }) =>
      durations.observe({ method, route, status: String(status) }, durationMs / 1_000),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
  };
}

function gaugeOf(name: string, source: GaugeSource): Gauge {
  const { help } = source;
  const aggregator: 'min' | 'max' = source.ofSeveral ?? 'max';
  const options = { name, help, registers: [], aggregator };
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
