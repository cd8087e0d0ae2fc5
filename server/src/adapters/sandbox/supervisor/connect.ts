import { ProviderError } from '../../../lib/errors.ts';
import { NothingListens, type SandboxConnection } from '../port.ts';
import type { SupervisorLink } from './connection.ts';
import { InputPump } from './input.ts';
import { OutputStream } from './output-stream.ts';

/** Exceeds the supervisor's own limit for both addresses. */
const answerWithinMs = 15_000;

/** Connects to a port of the loopback interface inside. */
export async function connect({ connection }: SupervisorLink, port: number): Promise<SandboxConnection> {
  const opened = Promise.withResolvers<void>();
  const output = new OutputStream((bytes) => connection.send({ op: 'taken', id, stream: 1, bytes }));
  const end = (): void => {
    connection.close(id);
    pump.close();
    output.end();
  };
  const id: number = connection.open({
    event(event) {
      if (event.event === 'output') output.push(event.data);
      else if (event.event === 'stdin_taken') pump.taken(event.bytes);
      else if (event.event === 'started') opened.resolve();
      else if (event.event === 'exit') end();
      else if (event.event === 'failed') {
        opened.reject(new NothingListens(event.message));
        end();
      }
    },
    lost(error) {
      opened.reject(error);
      end();
    },
  });
  const pump = new InputPump(connection, id);
  const close = (): void => {
    connection.send({ op: 'signal', id, signal: 'SIGKILL' });
    end();
  };
  const late = setTimeout(() => {
    opened.reject(new ProviderError('The sandbox did not connect in time', { retryable: true }));
    close();
  }, answerWithinMs);
  connection.send({ op: 'connect', id, port });
  try {
    await opened.promise;
  } finally {
    clearTimeout(late);
  }
  return {
    readable: output.readable,
    writable: new WritableStream<Uint8Array>({
      write: (chunk) => pump.write(chunk),
      close: () => pump.end(),
      abort: close,
    }),
    close,
  };
}
