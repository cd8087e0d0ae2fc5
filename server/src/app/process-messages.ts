import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

/** A message of the supervising process to one of its processes. */
const Order = Type.Union([
  Type.Object({ order: Type.Enum(['drain', 'hurry']) }),
  Type.Object({ order: Type.Literal('metrics'), id: Type.Integer() }),
]);

/** A message of a process to the one that supervises it. */
const Report = Type.Union([
  Type.Object({
    report: Type.Literal('ready'),
    ready: Type.Object({
      url: Type.String(),
      organization: Type.String(),
      metrics_url: Type.String(),
      admin_key: Type.String(),
      admin_key_file: Type.String(),
      worker: Type.Optional(Type.String()),
    }),
  }),
  Type.Object({ report: Type.Literal('failed'), message: Type.String(), isOperators: Type.Boolean() }),
  Type.Object({ report: Type.Literal('metrics'), id: Type.Integer(), values: Type.Array(Type.Unknown()) }),
]);

type Order = Static<typeof Order>;
type Report = Static<typeof Report>;

/** Sends a report to the supervising process, if it still lives. */
export function sendReport(report: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(report, () => resolve());
  });
}

/** Calls `hear` with each order of the supervising process. */
export function hearOrders(hear: (order: Order) => void): void {
  process.on('message', (message: unknown) => {
    if (Value.Check(Order, message)) hear(message);
  });
}

/** Returns a report, or undefined for any other message. */
export function reportOf(message: unknown): Report | undefined {
  return Value.Check(Report, message) ? message : undefined;
}
