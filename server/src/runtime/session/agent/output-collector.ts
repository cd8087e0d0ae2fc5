import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { recordOutput } from '../../../features/sessions/run/output-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { isNestedDeeper, maxJsonDepth } from '../../../lib/json-limits.ts';
import { maxValueBytes, problemsOfValue } from '../../../lib/json-schema.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { inputOf } from './output-tool.ts';
import { outputFileIn, wantedOutput, type SessionSandbox } from '../workspace/sandboxes.ts';

/** How often an agent is told in a turn that its output is missing or does not fit. */
const maxSentBack = 2;

/** What a turn's end finds missing: words for the agent, or the end of the session. */
type OutputDue = { feedback: string; failure?: undefined } | { feedback?: undefined; failure: RunFailed };

/**
 * Takes what the agent of an attempt hands in by the schema that its session names: from a tool, or from a file. What is
 * taken is on record at once; a later one replaces it.
 */
export class OutputCollector {
  readonly #attempt: Attempt;
  readonly #wanted: ReturnType<typeof wantedOutput>;
  #sentBack = 0;
  /** Why the newest one was not taken. */
  #refused = '';
  #given: boolean;
  /** The content of the file that was looked at last. */
  #seen: string | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.#wanted = wantedOutput(attempt);
    this.#given = attempt.session.structured_output !== null;
  }

  /** Begins a turn of the session's person: the agent may be told again. */
  beginTurn(): void {
    this.#sentBack = 0;
    this.#refused = '';
  }

  /** For an agent with tools; `[]` where the session wants no output. */
  get tools(): AgentTool[] {
    if (this.#wanted === undefined) return [];
    const { schema, required } = this.#wanted;
    const { input, description, valueOf } = inputOf(this.#attempt.secrets.masked(schema), required);
    return [
      {
        name: 'submit_output',
        description,
        input,
        readOnly: true,
        title: () => 'Submit the output',
        run: async (given) => this.#handIn(valueOf(given)),
      },
    ];
  }

  async #handIn(given: unknown): Promise<AgentToolResult> {
    if (this.#sentBack > maxSentBack) return { ok: false, output: 'No output is taken any more in this turn.' };
    const problem = await this.#take(given);
    if (problem === '') return { ok: true, output: 'The output is kept. Submitting another one replaces it.' };
    this.#sentBack += 1;
    const next =
      this.#sentBack > maxSentBack
        ? 'That was the last try.'
        : 'Correct it and call submit_output again with the whole output.';
    return { ok: false, output: `The output was not kept: ${problem} ${next}` };
  }

  /** Looks at the file that an agent without tools writes; `''` or nothing in it is no output. */
  async collect(sessionSandbox: SessionSandbox): Promise<void> {
    if (this.#wanted === undefined || this.#attempt.driver.capabilities.takesTools) return;
    const text = await this.#read(sessionSandbox);
    if (text === undefined || text === this.#seen) return;
    this.#seen = text;
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch (error) {
      this.#refused = `it is not valid JSON: ${messageOf(error)}.`;
      return;
    }
    await this.#take(given);
  }

  async #read(sessionSandbox: SessionSandbox): Promise<string | undefined> {
    try {
      const content = await sessionSandbox.sandbox.readFile(outputFileIn(sessionSandbox.sandbox), {
        maxBytes: maxValueBytes,
      });
      return content.length === 0 ? undefined : content.toString('utf8');
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      // A file that cannot be read is an output that was meant.
      if (Object(error.cause).code !== 'ENOENT') this.#refused = `its file cannot be read: ${error.message}.`;
      return undefined;
    }
  }

  /** Why a value is not kept, in sentences; `''` when it is. */
  async #take(given: unknown): Promise<string> {
    const { ctx, run, events, secrets } = this.#attempt;
    if (this.#wanted === undefined) return '';
    const isDeep = isNestedDeeper(given, maxJsonDepth);
    // What is kept is what was judged, without secrets.
    const value = isDeep ? null : secrets.masked(given);
    const problems = isDeep
      ? [{ path: '', message: 'is nested too deep' }]
      : value === null
        ? [{ path: '', message: 'must be something else than null, which is no output' }]
        : await problemsOfValue(this.#wanted.schema, value);
    this.#refused = secrets.mask.text(sentencesOf(problems));
    if (problems.length > 0) return this.#refused;
    await events.flush();
    await recordOutput(ctx, run, value);
    this.#given = true;
    return '';
  }

  /** At the end of a turn: what is still due; undefined when nothing is. */
  async settle(sessionSandbox: SessionSandbox): Promise<OutputDue | undefined> {
    await this.collect(sessionSandbox);
    const { driver, session, progress, events } = this.#attempt;
    const { takesTools } = driver.capabilities;
    const refused = this.#refused;
    if (this.#wanted === undefined) return undefined;
    if (this.#given || !this.#wanted.required) {
      if (refused !== '') events.warn('structured_output_invalid', `The session's output was not kept: ${refused}`);
      return undefined;
    }
    const mayGoOn = progress.turn < (session.budget.max_turns ?? Infinity);
    if (takesTools && this.#sentBack < maxSentBack && mayGoOn) {
      this.#sentBack += 1;
      return { feedback: [missingOutputText, refused].filter((part) => part !== '').join('\n\n') };
    }
    const failure =
      refused === ''
        ? new RunFailed('agent_error', missing(takesTools), { code: 'structured_output_missing' })
        : new RunFailed(
            'agent_error',
            `The session needs an output that fits its schema, and the agent handed in none: ${refused}`,
            {
              code: 'structured_output_invalid',
            },
          );
    return { failure };
  }
}

/** What an agent with tools is told when it ends its turn without the output that its session needs. */
export const missingOutputText =
  'The platform looked for the output that this session needs, and there is none. Call submit_output with it now; without it the session fails.';

function missing(takesTools: boolean): string {
  const how = takesTools
    ? 'did not call submit_output'
    : 'wrote nothing into the file that its variable GUILDHALL_OUTPUT names';
  return `The session needs an output by its structured_output_schema, and the agent ${how}.`;
}

function sentencesOf(problems: readonly SchemaProblem[]): string {
  return problems.map(({ path, message }) => `${path === '' ? 'The output' : path} ${message}.`).join(' ');
}
