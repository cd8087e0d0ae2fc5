import type { Context } from '../../src/app/context.ts';
import { consumers } from '../../src/app/consumers.ts';
import type { Consumer } from '../../src/outbox/consumer.ts';

/** PostgreSQL's classes of errors that a program makes: data that is not valid, and statements that are not. */
const wrongStatement = /^(?:22|42)/;

/**
 * Returns the consumers of domain events, and `requireNoDefects`, which throws if one failed by its own fault: nobody else
 * notices, because a failed consumer tries again for ever.
 */
export function watchedConsumers(): { watched: Consumer<Context>[]; requireNoDefects(): void } {
  const defects = new Map<string, unknown>();
  const watched = consumers.map((consumer): Consumer<Context> => ({
    ...consumer,
    async handle(...given) {
      try {
        await consumer.handle(...given);
      } catch (error) {
        if (isDefect(error)) defects.set(consumer.name, error);
        throw error;
      }
    },
  }));
  return {
    watched,
    requireNoDefects() {
      for (const [name, cause] of defects) throw new Error(`the consumer ${name} is defective`, { cause });
    },
  };
}

function isDefect(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  const code: unknown = Reflect.get(error, 'code');
  return (
    error instanceof TypeError ||
    error.constructor.name === 'ParseError' ||
    (typeof code === 'string' && wrongStatement.test(code))
  );
}
