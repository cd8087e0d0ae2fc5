import { excessOf } from '../../../lib/json-limits.ts';

/**
 * Protocol between worker and supervisor over one socket: one JSON object per line, requests down, events up. The worker
 * chooses the `id` of a run or file transfer. Bytes are in base64, at most {@link chunkBytes} of them per line.
 */
export type SupervisorRequest =
  | {
      op: 'init';
      env: Record<string, string>;
      port: number;
      /** Undefined: no network. A token is sent first on each connection, in a line of its own. */
      gateway?: { socket: string } | { host: string; port: number; token: string };
      room_for: number;
    }
  | {
      op: 'run';
      id: number;
      command: string[];
      cwd: string;
      env: Record<string, string>;
      timeout_ms: number;
      stdin: boolean;
    }
  | { op: 'connect'; id: number; port: number }
  | { op: 'ping' }
  | { op: 'stdin'; id: number; data: string }
  | { op: 'stdin_end'; id: number }
  | { op: 'taken'; id: number; stream?: 1 | 2; bytes: number }
  | { op: 'signal'; id: number; signal: 'SIGTERM' | 'SIGKILL' }
  | { op: 'read'; id: number; path: string; max_bytes: number }
  | {
      op: 'write';
      id: number;
      path: string;
      mode: number;
      replace: boolean;
      data: string;
      first: boolean;
      last: boolean;
    };

/** Bytes per chunk of a file or of standard input. */
export const chunkBytes = 192 * 1024;
/** Exceeds any line of our supervisor; a longer one is from a program that replaced it. */
export const maxLineBytes = 1024 * 1024;

export type SupervisorEvent =
  | { event: 'ready'; port: number }
  | { event: 'pong' }
  | { event: 'notice'; text: string }
  | { event: 'started'; id: number }
  | { event: 'output'; id: number; stream: 1 | 2; data: Buffer }
  | { event: 'stdin_taken'; id: number; bytes: number }
  | {
      event: 'exit';
      id: number;
      exitCode: number;
      killed: boolean;
      timedOut: boolean;
      durationMs: number;
    }
  | { event: 'data'; id: number; data: Buffer }
  | { event: 'done'; id: number }
  | { event: 'failed'; id: number; code: string; message: string };

const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};

/** Exceeds any valid event. */
const eventLimits = { values: 20, depth: 2 };

/** Reads one line of the supervisor. Throws on anything that is not an event. */
export function parseEvent(line: Buffer): SupervisorEvent {
  const excess = excessOf(line, eventLimits);
  if (excess !== undefined) throw new Error(`a line of the supervisor ${excess}`);
  const value: unknown = JSON.parse(line.toString('utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('a line of the supervisor is not an object');
  const fields = new Map<string, unknown>(Object.entries(value));
  const event = text(fields, 'event');
  if (event === 'ready') return { event, port: whole(fields, 'port') };
  if (event === 'pong') return { event };
  if (event === 'notice') return { event, text: text(fields, 'text').slice(0, 500) };
  const id = whole(fields, 'id');
  switch (event) {
    case 'started':
    case 'done':
      return { event, id };
    case 'output':
      return { event, id, stream: whole(fields, 'stream') === 1 ? 1 : 2, data: bytes(fields) };
    case 'data':
      return { event, id, data: bytes(fields) };
    case 'stdin_taken':
      return { event, id, bytes: whole(fields, 'bytes') };
    case 'failed':
      return { event, id, code: text(fields, 'code'), message: text(fields, 'message').slice(0, 2000) };
    case 'exit':
      return { event, id, ...parseExit(fields) };
    default:
      throw new Error('the supervisor sent an unknown event');
  }
}

function parseExit(fields: Map<string, unknown>) {
  const timedOut = fields.get('timed_out') === true;
  const signal = fields.get('signal');
  const killed = typeof signal === 'string';
  let exitCode = killed ? 128 + (signalNumbers[signal] ?? 0) : whole(fields, 'code');
  if (timedOut) exitCode = 124;
  return {
    exitCode,
    killed,
    timedOut,
    durationMs: number(fields, 'duration_ms'),
  };
}

function number(fields: Map<string, unknown>, name: string): number {
  const value = fields.get(name);
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new Error(`${name} is not a number`);
  return value;
}

function whole(fields: Map<string, unknown>, name: string): number {
  const value = number(fields, name);
  if (!Number.isSafeInteger(value)) throw new Error(`${name} is not a whole number`);
  return value;
}

function text(fields: Map<string, unknown>, name: string): string {
  const value = fields.get(name);
  if (typeof value !== 'string') throw new Error(`${name} is not a string`);
  return value;
}

function bytes(fields: Map<string, unknown>): Buffer {
  return Buffer.from(text(fields, 'data'), 'base64');
}
