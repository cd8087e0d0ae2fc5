import type { SandboxTerminal, TerminalOptions, TerminalSize } from '../port.ts';
import type { SupervisorLink } from './connection.ts';
import { spawn } from './spawn.ts';

interface TerminalPlace {
  /** The directory of the supervisor's files, inside. */
  programs: string;
  cwd: string;
}

/** Limit of pty.pl for one frame. */
const frameBytes = 32 * 1024;

/** Starts a program on a terminal, by the program pty.pl beside the supervisor. */
export async function openTerminal(
  line: SupervisorLink,
  { programs, cwd }: TerminalPlace,
  { command, columns, rows, ...rest }: TerminalOptions,
): Promise<SandboxTerminal> {
  const joined = ['perl', `${programs}/pty.pl`, String(columns), String(rows), ...command];
  const program = await spawn(line, cwd, { ...rest, command: joined });
  const writer = program.stdin.getWriter();
  // A program that has ended takes nothing more.
  writer.closed.catch(() => undefined);
  void program.stderr.cancel();
  const send = async (kind: 'd' | 'r', payload: Uint8Array): Promise<void> => {
    const head = Buffer.alloc(5);
    head.write(kind, 'latin1');
    head.writeUInt32BE(payload.length, 1);
    await writer.write(Buffer.concat([head, payload]));
  };
  return {
    output: program.stdout,
    exited: program.exited,
    async type(bytes) {
      for (let at = 0; at < bytes.length; at += frameBytes) await send('d', bytes.subarray(at, at + frameBytes));
    },
    resize: (size) => send('r', sizeBytes(size)),
    kill: () => program.kill('SIGKILL'),
  };
}

function sizeBytes({ columns, rows }: TerminalSize): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt16BE(columns);
  payload.writeUInt16BE(rows, 2);
  return payload;
}
