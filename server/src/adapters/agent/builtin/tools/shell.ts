import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { Type } from 'typebox';
import { truncate, oneLine } from '../bounds.ts';
import type { AgentExecResult } from '../../sandbox.ts';
import { interruptible } from './files.ts';
import { OutputCollector } from './output.ts';
import { defineTool, failed, type ToolContext, type ToolOutcome } from './tool.ts';

const defaultTimeoutSeconds = 120;
const maxTimeoutSeconds = 3_600;
/** Disables pagers and editors, which would wait for input. */
const env = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_EDITOR: 'true', EDITOR: 'true' };
/** Starts `$1` in a process session of its own with its output in `$2`, and reports the start. */
const backgroundScript = `
mkdir -p "$(dirname "$2")" && : > "$2" || exit 1
setsid bash -c "$1" >> "$2" 2>&1 < /dev/null &
pid=$!
sleep 1
head -c 4000 "$2"
if kill -0 "$pid" 2>/dev/null; then echo >&2 "[running in the background as process $pid, output in $2; stop it with: kill -- -$pid]"
else wait "$pid"; code=$?; echo >&2 "[ended already]"; exit "$code"; fi`;

interface ShellInput {
  command: string;
  timeout_seconds?: number;
  background?: boolean;
}

/** Runs a command in the work tree. */
export const shellTool = defineTool({
  name: 'shell',
  kind: 'change',
  description: `Runs a command with bash in the workspace and returns its output and exit code.

- Every call starts a new shell without earlier cd or variables. Join dependent commands with && in one call.
- Standard input is empty, and nobody can answer prompts: use options like --yes, and no editors or pagers.
- The command is stopped after timeout_seconds (${defaultTimeoutSeconds} by default, at most ${maxTimeoutSeconds}). Give builds and long test runs the time they need.
- For a long output you see its beginning and end, and the file with the rest. Keep outputs short: one test file, quiet options, grep, tail.
- Prefer read and search for reading files, and write and edit for changing them.
- background starts a server or watcher that continues after the call; the result has its process id and the file with its output.`,
  input: Type.Object({
    command: Type.String({ minLength: 1, description: 'The command, as for bash -c.' }),
    timeout_seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: maxTimeoutSeconds })),
    background: Type.Optional(Type.Boolean({ description: 'Start the command without waiting for its end.' })),
  }),
  title: ({ command }) => truncate(oneLine(command), 100),
  run: shell,
});

async function shell(input: ShellInput, context: ToolContext): Promise<ToolOutcome> {
  const { sandbox } = context;
  const refusal = await context.permit(input.command);
  if (refusal !== undefined) return failed(refusal);
  const commandId = randomUUID();
  const output = new OutputCollector();
  const seconds = input.timeout_seconds ?? defaultTimeoutSeconds;
  const log = `${sandbox.home}/.guildhall/background-${commandId.slice(0, 8)}.log`;
  const command =
    input.background === true ? ['bash', '-c', backgroundScript, 'bash', input.command, log] : input.command;
  const execution = { command, shown: input.command, commandId, timeoutMs: seconds * 1_000 };
  const { result, kept } = await execute(execution, output, context);
  const parts = [output.shown().trimEnd()];
  if (parts[0] === '') parts[0] = '(no output)';
  if (kept.file !== undefined) parts.push(`[the full output is in ${kept.file}]`);
  parts.push(endOf(result, seconds));
  const { artifactId } = kept;
  const outcome = { ok: result.exitCode === 0, output: parts.join('\n'), artifactId, changes: true };
  if (input.background !== true) return outcome;
  // The command's own output goes elsewhere, so this line is the script's.
  const [, pid] = /^\[running in the background as process (\d+),/m.exec(String(result.stderr)) ?? [];
  return pid === undefined ? outcome : { ...outcome, background: Number(pid) };
}

interface StoredOutput {
  artifactId?: string;
  file?: string;
}

interface Execution {
  command: string | string[];
  /** The command for the event. */
  shown: string;
  commandId: string;
  timeoutMs: number;
}

/** Runs a command and emits its events. Output that the model does not see is stored before the end event. */
async function execute(
  { command, shown, commandId, timeoutMs }: Execution,
  output: OutputCollector,
  context: ToolContext,
): Promise<{ result: AgentExecResult; kept: StoredOutput }> {
  const { sandbox, signal, onEvent } = context;
  // A chunk may end inside a character.
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const show = (stream: 'stdout' | 'stderr', text: string) => {
    if (text === '') return;
    output.push(text);
    onEvent({ kind: 'output', commandId, stream, text });
  };
  const end = (exitCode: number, durationMs: number) => {
    onEvent({ kind: 'command', commandId, command: shown, exitCode, durationMs: Math.round(durationMs) });
  };
  signal.throwIfAborted();
  const startedAt = performance.now();
  onEvent({ kind: 'command', commandId, command: shown });
  try {
    const result = await sandbox.exec({
      command,
      env,
      timeoutMs,
      signal,
      keepBytes: 4_096,
      onOutput: (stream, chunk) => show(stream, decoders[stream].write(chunk)),
    });
    show('stdout', decoders.stdout.end());
    show('stderr', decoders.stderr.end());
    // A command that failed to start reports it only in its result.
    if (output.shown() === '' && result.stderr.length > 0) show('stderr', String(result.stderr));
    const kept = output.omitted === 0 ? {} : await storeAll(commandId, output, context);
    end(result.exitCode, result.durationMs);
    return { result, kept };
  } catch (error) {
    // The sandbox killed it: 128 + SIGKILL.
    if (signal.aborted) end(137, performance.now() - startedAt);
    throw error;
  }
}

/** Stores the full output as an artifact for the user, and as a file for the model. */
async function storeAll(
  commandId: string,
  output: OutputCollector,
  { sandbox, keepOutput, signal }: ToolContext,
): Promise<StoredOutput> {
  const { all } = output;
  const file = `${sandbox.home}/.guildhall/output-${commandId.slice(0, 8)}.txt`;
  // A full disk or an unavailable blob store must not fail the turn.
  const [artifact, written] = await Promise.allSettled([
    interruptible(signal, keepOutput(commandId)),
    all === undefined ? Promise.reject(new Error('too long')) : interruptible(signal, sandbox.writeFile(file, all)),
  ]);
  return {
    ...(artifact.status === 'fulfilled' ? { artifactId: artifact.value } : {}),
    ...(written.status === 'fulfilled' ? { file } : {}),
  };
}

function endOf({ exitCode, timedOut, outOfMemory, durationMs }: AgentExecResult, seconds: number): string {
  if (timedOut) {
    return `[stopped by the platform after ${seconds} s (exit code ${exitCode}). If the command needs more time, set timeout_seconds; if it does not end by itself, use background.]`;
  }
  if (outOfMemory) return `[killed by the kernel: the sandbox ran out of memory (exit code ${exitCode})]`;
  return `[exit code ${exitCode}, ${(durationMs / 1_000).toFixed(1)} s]`;
}
