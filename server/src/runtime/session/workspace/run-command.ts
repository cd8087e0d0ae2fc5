import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../adapters/sandbox/port.ts';
import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { PhaseName } from '../../../features/sessions/schemas/session-schemas.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { CommandLog } from '../log/command-log.ts';

/** Limit for a setup command or a check. */
export const commandTimeoutMs = 30 * 60_000;

export interface RecordedCommand {
  command: string;
  cwd: string;
  env: Record<string, string>;
  phase: PhaseName | '';
  /** Name of the artifact with the whole output. */
  artifactName: string;
}

export interface RecordedRun {
  evidence: Evidence;
  timedOut: boolean;
  outOfMemory: boolean;
}

/**
 * Runs a setup command or a check and returns its evidence. Rejects if the sandbox is lost or the turn is stopped.
 */
export async function runCommand(
  attempt: Pick<Attempt, 'control' | 'events' | 'secrets' | 'blobs' | 'resources'>,
  sandbox: Sandbox,
  options: RecordedCommand,
): Promise<RecordedRun> {
  const { command, cwd, env, phase, artifactName } = options;
  const commandId = randomUUID();
  const log = new CommandLog(attempt, { commandId, callId: '', command, phase });
  log.begin();
  const startedAt = performance.now();
  try {
    const result = await sandbox.exec({
      command,
      cwd,
      env,
      timeoutMs: commandTimeoutMs,
      signal: attempt.control.signal,
      keepBytes: 0,
      onOutput: (stream, chunk) => log.bytes(stream, chunk),
    });
    if (result.timedOut)
      log.text('stderr', `\nThe command timed out after ${commandTimeoutMs / 60_000} minutes and was stopped.\n`);
    if (result.outOfMemory) log.text('stderr', '\nThe sandbox ran out of memory.\n');
    const output_tail = log.end();
    const duration_ms = Math.round(result.durationMs);
    const artifact_id = await log.keep(artifactName);
    const { exitCode: exit_code, timedOut, outOfMemory } = result;
    log.writeEnd({ exitCode: exit_code, durationMs: duration_ms });
    const evidence: Evidence = { kind: 'command', command, exit_code, duration_ms, output_tail, artifact_id };
    return { evidence, timedOut, outOfMemory };
  } catch (error) {
    // 128 + SIGKILL: for any cause, the command no longer runs.
    log.writeEnd({ exitCode: 137, durationMs: performance.now() - startedAt });
    throw error;
  } finally {
    await log.close();
  }
}
