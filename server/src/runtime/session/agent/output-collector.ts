import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { recordOutput } from '../../../features/sessions/run/output-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { isNestedDeeper, maxJsonDepth } from '../../../lib/json-limits.ts';
import { maxValueBytes, problemsOfValue } from '../../../lib/json-schema.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { outputToolInput } from './output-tool.ts';
import { outputFilePath, wantedOutput, type SessionSandbox } from '../workspace/sandboxes.ts';

/** Number of times per turn that an agent may correct a missing or invalid output. */
const maxCorrections = 2;

/** A missing output at the end of a turn: feedback for the agent, or the session's failure. */
type MissingOutput = { feedback: string; failure?: undefined } | { feedback?: undefined; failure: RunFailed };

/**
 * Collects an agent's structured output, from a tool or from a file, and validates it against the session's schema. A valid
 * output is recorded at once; a later one replaces it.
 */
export class OutputCollector {
  readonly #attempt: Attempt;
  readonly #wanted: ReturnType<typeof wantedOutput>;
  #corrections = 0;
  /** Problem of the newest output; `''` if it is valid. */
  #rejection = '';
  #hasOutput: boolean;
  /** Last content read from the file. */
  #lastContent: string | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.#wanted = wantedOutput(attempt);
    this.#hasOutput = attempt.session.structured_output !== null;
  }

  /** Starts a turn: the agent may correct its output again. */
  beginTurn(): void {
    this.#corrections = 0;
    this.#rejection = '';
  }

  /** Tools for an agent that takes some; `[]` for a session without an output schema. */
  get tools(): AgentTool[] {
    if (this.#wanted === undefined) return [];
    const { schema, required } = this.#wanted;
    const { input, description, extract } = outputToolInput(this.#attempt.secrets.masked(schema), required);
    return [
      {
        name: 'submit_output',
        description,
        input,
        readOnly: true,
        title: () => 'Submit the output',
        run: async (given) => this.#submit(extract(given)),
      },
    ];
  }

  async #submit(given: unknown): Promise<AgentToolResult> {
    if (this.#corrections > maxCorrections) return { ok: false, output: 'This turn accepts no more outputs.' };
    const problem = await this.#accept(given);
    if (problem === '') return { ok: true, output: 'Output saved. Call submit_output again to replace it.' };
    this.#corrections += 1;
    const next =
      this.#corrections > maxCorrections
        ? 'No attempts are left in this turn.'
        : 'Correct it and call submit_output again with the whole output.';
    return { ok: false, output: `The output was rejected: ${problem} ${next}` };
  }

  /** Reads the file that an agent without tools writes; an empty or missing file is no output. */
  async collect(sessionSandbox: SessionSandbox): Promise<void> {
    if (this.#wanted === undefined || this.#attempt.driver.capabilities.takesTools) return;
    const text = await this.#read(sessionSandbox);
    if (text === undefined || text === this.#lastContent) return;
    this.#lastContent = text;
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch (error) {
      this.#rejection = `The file is not valid JSON: ${messageOf(error)}.`;
      return;
    }
    await this.#accept(given);
  }

  async #read(sessionSandbox: SessionSandbox): Promise<string | undefined> {
    try {
      const content = await sessionSandbox.sandbox.readFile(outputFilePath(sessionSandbox.sandbox), {
        maxBytes: maxValueBytes,
      });
      return content.length === 0 ? undefined : content.toString('utf8');
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      // An unreadable file, unlike a missing one, is an attempt at an output.
      if (Object(error.cause).code !== 'ENOENT') this.#rejection = `The file cannot be read: ${error.message}.`;
      return undefined;
    }
  }

  /** Validates and records an output. Returns its problems in sentences; `''` if it was recorded. */
  async #accept(given: unknown): Promise<string> {
    const { ctx, run, events, secrets } = this.#attempt;
    if (this.#wanted === undefined) return '';
    const isDeep = isNestedDeeper(given, maxJsonDepth);
    // The masked value is both validated and recorded.
    const value = isDeep ? null : secrets.masked(given);
    const problems = isDeep
      ? [{ path: '', message: 'is nested too deeply' }]
      : value === null
        ? [{ path: '', message: 'must not be null' }]
        : await problemsOfValue(this.#wanted.schema, value);
    this.#rejection = secrets.mask.text(describeProblems(problems));
    if (problems.length > 0) return this.#rejection;
    await events.flush();
    await recordOutput(ctx, run, value);
    this.#hasOutput = true;
    return '';
  }

  /** Called at the end of a turn. Returns the feedback or failure of a missing output; undefined otherwise. */
  async settle(sessionSandbox: SessionSandbox): Promise<MissingOutput | undefined> {
    await this.collect(sessionSandbox);
    const { driver, session, progress, events } = this.#attempt;
    const { takesTools } = driver.capabilities;
    const refused = this.#rejection;
    if (this.#wanted === undefined) return undefined;
    if (this.#hasOutput || !this.#wanted.required) {
      if (refused !== '') events.warn('structured_output_invalid', `The session's output was rejected: ${refused}`);
      return undefined;
    }
    const mayGoOn = progress.turn < (session.budget.max_turns ?? Infinity);
    if (takesTools && this.#corrections < maxCorrections && mayGoOn) {
      this.#corrections += 1;
      return { feedback: [missingOutputText, refused].filter((part) => part !== '').join('\n\n') };
    }
    const failure =
      refused === ''
        ? new RunFailed('agent_error', missingMessage(takesTools), { code: 'structured_output_missing' })
        : new RunFailed(
            'agent_error',
            `The session requires an output that matches its structured_output_schema. The agent's output was rejected: ${refused}`,
            {
              code: 'structured_output_invalid',
            },
          );
    return { failure };
  }
}

/** Message to an agent with tools that ended its turn without the required output. */
export const missingOutputText =
  'This session requires an output, and you have not submitted one. Call submit_output with it now; otherwise the session fails.';

function missingMessage(takesTools: boolean): string {
  const how = takesTools
    ? 'did not call submit_output'
    : 'did not write the file named by the environment variable GUILDHALL_OUTPUT';
  return `The session requires an output that matches its structured_output_schema, but the agent ${how}.`;
}

function describeProblems(problems: readonly SchemaProblem[]): string {
  return problems.map(({ path, message }) => `${path === '' ? 'The output' : path} ${message}.`).join(' ');
}
