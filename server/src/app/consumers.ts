import type { Context } from './context.ts';
import { features } from '../features/index.ts';
import type { Consumer } from '../outbox/consumer.ts';

/** The consumers of domain events. */
export const consumers: readonly Consumer<Context>[] = features.flatMap(({ consumers: own = [] }) => own);
