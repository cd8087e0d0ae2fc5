import type { Context } from './context.ts';
import { features } from '../features/index.ts';
import type { Consumer } from '../outbox/consumer.ts';

/** Whoever follows domain events. */
export const consumers: readonly Consumer<Context>[] = features.flatMap(({ consumers: own = [] }) => own);
