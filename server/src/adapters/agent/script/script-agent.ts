import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { Value } from 'typebox/value';
import { pathRule } from '../../../lib/agent-config.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { schemaProblems } from '../../../lib/schema-problems.ts';
import type { Agent, AgentOptions, AgentPrompt, AgentResult, AgentRunner, AgentState } from '../port.ts';
import type { AgentExecResult } from '../sandbox.ts';
import { scriptCapabilities } from './capabilities.ts';
import { ScriptConfig } from './config.ts';

export interface ScriptRunnerOptions {
  /** Limit for a step, which is killed and fails beyond it; default 30 minutes. */
  stepTimeoutMs?: number;
}

const defaultStepTimeoutMs = 30 * 60_000;
/** The length of a command in an error message. */
const shownCommandLength = 200;

/**
 * The runtime `script`: runs the steps of its configuration as shell commands in the work tree, without a model. Stops at
 * the first step that fails without `allow_failure`. Writes the files of its check into the work tree first. Steps get the
 * prompt's file in `GUILDHALL_PROMPT_FILE` and the session's id in `GUILDHALL_SESSION_ID`.
 *
 * It implements the port directly instead of as an ACP program in the sandbox: it has only commands and their output, which
 * the sandbox streams already, and so an image without Node.js can run it.
 */
export function createScriptRunner({ stepTimeoutMs = defaultStepTimeoutMs }: ScriptRunnerOptions = {}): AgentRunner {
  return {
    capabilities: scriptCapabilities,
    async start(options) {
      options.signal?.throwIfAborted();
      return new ScriptAgent(options, readConfig(options.settings.runtimeConfig), stepTimeoutMs);
    },
  };
}

function readConfig(config: unknown): ScriptConfig {
  if (!Value.Check(ScriptConfig, config)) {
    const problems = schemaProblems(ScriptConfig, config, pathRule).map(({ path, message }) =>
      `${path} ${message}`.trim(),
    );
    throw new ProviderError(`The agent's runtime_config is not valid: ${problems.join('; ')}.`, { retryable: false });
  }
  return config;
}

class ScriptAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #config: ScriptConfig;
  readonly #stepTimeoutMs: number;
  #progress: { turn: number; finishedSteps: number };
  #running: { abort: AbortController; ended: Promise<void> } | undefined;
  #closed = false;

  constructor(options: AgentOptions, config: ScriptConfig, stepTimeoutMs: number) {
    this.#options = options;
    this.#config = config;
    this.#stepTimeoutMs = stepTimeoutMs;
    this.#progress = readState(options.state, config);
  }

  async prompt(input: AgentPrompt): Promise<AgentResult> {
    if (this.#closed || this.#running !== undefined) {
      throw new Error('The script agent is closed, or already runs a turn.');
    }
    const abort = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running = { abort, ended };
    try {
      return await this.#turn(input, AbortSignal.any([abort.signal, input.signal ?? abort.signal]));
    } finally {
      this.#running = undefined;
      end();
    }
  }

  async interrupt(): Promise<void> {
    this.#running?.abort.abort(new Error('The turn was interrupted.'));
    await this.#running?.ended;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.interrupt();
  }

  async #turn(input: AgentPrompt, signal: AbortSignal): Promise<AgentResult> {
    const { sandbox, sessionId, onEvent } = this.#options;
    const { check, steps, summary } = this.#config;
    const refusal = await this.#refusal(check?.command, true);
    if (refusal !== undefined) return refusedResult(refusal);
    if (this.#progress.turn !== input.turn) {
      this.#progress = { turn: input.turn, finishedSteps: 0 };
    }
    if (check !== undefined) {
      const { command, files = [] } = check;
      onEvent({ kind: 'check', command, files });
      // The check's new tests are part of the change, like tests that an engineer writes.
      if (this.#progress.finishedSteps === 0) {
        for (const { path, content } of files) await sandbox.writeFile(`${sandbox.workspace}/${path}`, content);
      }
    }
    // Outside the work tree, so that it is not part of the change.
    const promptFile = `${sandbox.home}/.guildhall/prompt-${input.turn}.md`;
    await sandbox.writeFile(promptFile, input.text);
    const env = { GUILDHALL_PROMPT_FILE: promptFile, GUILDHALL_SESSION_ID: sessionId };
    for (const [index, step] of steps.entries()) {
      if (index < this.#progress.finishedSteps) {
        continue;
      }
      const refused = await this.#refusal(step.run, step.allow_failure !== true);
      if (refused !== undefined && step.allow_failure !== true) return refusedResult(refused);
      const result = refused === undefined ? await this.#step(step.run, env, signal) : this.#skip(step.run, refused);
      if (result === 'canceled') {
        return { stopReason: 'canceled', summary: '' };
      }
      if (result.exitCode !== 0 && step.allow_failure !== true) {
        const message = this.#failure(index, step.run, result);
        return { stopReason: 'error', summary: '', error: { code: 'agent_error', message } };
      }
      this.#progress = { turn: input.turn, finishedSteps: index + 1 };
      await this.#options.onStep({ ...this.#progress });
    }
    if (summary !== '') {
      onEvent({ kind: 'message', messageId: randomUUID(), role: 'agent', delta: summary, done: true });
    }
    return { stopReason: 'end_turn', summary };
  }

  /** Returns the reason why a command must not run; undefined if it may, or is not there. */
  async #refusal(command: string | undefined, isFatal: boolean): Promise<string | undefined> {
    return command === undefined ? undefined : this.#options.permit?.(command, { isFatal });
  }

  /** Shows a refused command as one that failed. */
  #skip(command: string, reason: string): Pick<AgentExecResult, 'exitCode' | 'timedOut' | 'outOfMemory'> {
    const { onEvent } = this.#options;
    const commandId = randomUUID();
    onEvent({ kind: 'command', commandId, command });
    onEvent({ kind: 'output', commandId, stream: 'stderr', text: `${reason}\n` });
    onEvent({ kind: 'command', commandId, command, exitCode: 126, durationMs: 0 });
    return { exitCode: 126, timedOut: false, outOfMemory: false };
  }

  async #step(
    command: string,
    env: Record<string, string>,
    signal: AbortSignal,
  ): Promise<AgentExecResult | 'canceled'> {
    const { sandbox, onEvent } = this.#options;
    if (signal.aborted) {
      return 'canceled';
    }
    const commandId = randomUUID();
    // A chunk may end inside a character.
    const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
    const output = (stream: 'stdout' | 'stderr', text: string) => {
      if (text !== '') {
        onEvent({ kind: 'output', commandId, stream, text });
      }
    };
    const startedAt = performance.now();
    onEvent({ kind: 'command', commandId, command });
    try {
      const result = await sandbox.exec({
        command,
        cwd: sandbox.workspace,
        env,
        timeoutMs: this.#stepTimeoutMs,
        signal,
        keepBytes: 0,
        onOutput: (stream, chunk) => output(stream, decoders[stream].write(chunk)),
      });
      output('stdout', decoders.stdout.end());
      output('stderr', decoders.stderr.end());
      const { exitCode, durationMs } = result;
      onEvent({ kind: 'command', commandId, command, exitCode, durationMs: Math.round(durationMs) });
      return signal.aborted ? 'canceled' : result;
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      // The sandbox killed it: 128 + SIGKILL.
      const durationMs = Math.round(performance.now() - startedAt);
      onEvent({ kind: 'command', commandId, command, exitCode: 137, durationMs });
      return 'canceled';
    }
  }

  #failure(
    index: number,
    command: string,
    { exitCode, timedOut, outOfMemory }: Pick<AgentExecResult, 'exitCode' | 'timedOut' | 'outOfMemory'>,
  ): string {
    const told = this.#options.mask?.(command) ?? command;
    const shown = told.length > shownCommandLength ? `${told.slice(0, shownCommandLength)}…` : told;
    let how = `failed with exit code ${exitCode}`;
    if (timedOut) {
      how = `timed out after ${this.#stepTimeoutMs / 1_000} s (exit code ${exitCode})`;
    } else if (outOfMemory) {
      how = `ran out of memory (exit code ${exitCode})`;
    }
    return `Step ${index + 1} of ${this.#config.steps.length}, \`${shown}\`, ${how}.`;
  }
}

/** Result of a turn that a guardrail ended. */
function refusedResult(message: string): AgentResult {
  return { stopReason: 'error', summary: '', error: { code: 'guardrail', message } };
}

function readState(state: AgentState | undefined, config: ScriptConfig): { turn: number; finishedSteps: number } {
  if (state === undefined) {
    return { turn: 0, finishedSteps: 0 };
  }
  const { turn, finishedSteps } = state;
  if (!isCount(turn) || !isCount(finishedSteps) || finishedSteps > config.steps.length) {
    throw new ProviderError('The state to resume belongs to another script.', { retryable: false });
  }
  return { turn, finishedSteps };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
