import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { reportOf } from './process-messages.ts';

/** A metric of prom-client, as far as it is looked at. */
const Metric = Type.Object({
  name: Type.String(),
  type: Type.String(),
  values: Type.Array(Type.Object({ labels: Type.Record(Type.String(), Type.Unknown()) })),
});

type Metric = Static<typeof Metric>;

/** A process that does not answer within this time is left out. */
const answerMs = 5_000;

/**
 * Returns a function that asks all processes, by number, for their metrics. What belongs to a process has its number as the
 * label `process`; what all of them read in the database is there once. Rejects if none has any.
 */
export function createMetricsOfAll(processes: () => ReadonlyMap<number, Worker>): () => Promise<string> {
  let last = 0;
  return async () => {
    last += 1;
    const id = last;
    const answers = await Promise.all(
      [...processes()].map(async ([number, worker]) => (await ask(worker, id)).map((metric) => label(metric, number))),
    );
    if (answers.every((metrics) => metrics.length === 0)) throw new Error('No process has metrics now.');
    return AggregatorRegistry.aggregate(answers).metrics();
  };
}

function label(metric: Metric, number: number): Metric {
  if (metric.type === 'gauge' && metric.name.startsWith('guildhall_')) return metric;
  return {
    ...metric,
    values: metric.values.map((value) => ({ ...value, labels: { process: number, ...value.labels } })),
  };
}

/** Returns the metrics of a process; none if it does not answer. */
async function ask(worker: Worker, id: number): Promise<Metric[]> {
  const { promise, resolve } = Promise.withResolvers<Metric[]>();
  const hear = (message: unknown): void => {
    const report = reportOf(message);
    if (report?.report === 'metrics' && report.id === id)
      resolve(report.values.filter((value) => Value.Check(Metric, value)));
  };
  const gone = (): void => resolve([]);
  const late = setTimeout(gone, answerMs);
  worker.on('message', hear);
  worker.once('exit', gone);
  try {
    if (worker.isConnected()) worker.send({ order: 'metrics', id });
    else gone();
    return await promise;
  } finally {
    clearTimeout(late);
    worker.off('message', hear);
    worker.off('exit', gone);
  }
}
