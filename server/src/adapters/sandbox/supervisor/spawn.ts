import { ProviderError } from '../../../lib/errors.ts';
import type { ProgramEnd, SandboxProcess, SpawnOptions } from '../port.ts';
import type { SupervisorLink } from './connection.ts';
import { InputPump } from './input.ts';
import { OutputStream } from './output-stream.ts';

const startWithinMs = 30_000;

/** Starts a program with stdio streams. Rejects if it fails to start. */
export async function spawn(line: SupervisorLink, cwd: string, options: SpawnOptions): Promise<SandboxProcess> {
  const { connection } = line;
  const killsBefore = line.oomKills();
  const late = setTimeout(() => line.onStuck('its supervisor failed to start a program'), startWithinMs);
  const started = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<ProgramEnd>();
  exited.promise.catch(() => {});
  const outputs = {
    1: new OutputStream((bytes) => connection.send({ op: 'taken', id, stream: 1, bytes })),
    2: new OutputStream((bytes) => connection.send({ op: 'taken', id, stream: 2, bytes })),
  } as const;
  const end = (exitCode: number) => {
    clearTimeout(late);
    connection.close(id);
    pump.close();
    outputs[1].end();
    outputs[2].end();
    exited.resolve({ exitCode, outOfMemory: exitCode !== 0 && line.oomKills() > killsBefore });
  };
  const id: number = connection.open({
    event(event) {
      if (event.event === 'output') outputs[event.stream].push(event.data);
      else if (event.event === 'stdin_taken') pump.taken(event.bytes);
      else if (event.event === 'started') started.resolve();
      else if (event.event === 'exit') end(event.exitCode);
      else if (event.event === 'failed') {
        started.reject(
          new ProviderError(`${options.command[0] ?? ''} failed to start: ${event.message}`, { retryable: false }),
        );
        end(127);
      }
    },
    lost(error) {
      started.reject(error);
      end(137);
    },
  });
  const pump = new InputPump(connection, id);
  connection.send({
    op: 'run',
    id,
    command: options.command,
    cwd: options.cwd ?? cwd,
    env: options.env ?? {},
    timeout_ms: 0,
    stdin: true,
  });
  await started.promise;
  clearTimeout(late);
  return {
    stdin: inputOf(pump),
    stdout: outputs[1].readable,
    stderr: outputs[2].readable,
    exited: exited.promise,
    kill: (signal = 'SIGTERM') => connection.send({ op: 'signal', id, signal }),
  };
}

function inputOf(pump: InputPump): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk: Uint8Array) => pump.write(chunk),
    close: () => pump.end(),
    abort: () => pump.end(),
  });
}
