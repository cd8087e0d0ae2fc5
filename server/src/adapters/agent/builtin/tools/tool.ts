import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentEvent } from '../../port.ts';
import type { AgentSandbox } from '../../sandbox.ts';

/**
 * Effect of a tool: `read` is read-only and `tell` only reports, so both may be repeated; `change` may change anything; `ask`
 * ends the turn with a question, `submit` with a plan.
 */
export type ToolKind = 'read' | 'tell' | 'change' | 'ask' | 'submit';

/** A tool of the built-in agent. */
export interface Tool {
  name: string;
  description: string;
  input: TSchema;
  kind: ToolKind;
  /** Returns true if a call with this input cannot change files. */
  readOnly(input: unknown): boolean;
  /** A short title for the log; `input` is unvalidated. */
  title(input: unknown): string;
  /** A mistake of the model is an outcome. Rejects with the signal's reason, or when the sandbox is lost. */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  sandbox: AgentSandbox;
  signal: AbortSignal;
  /** Emits an event while the tool runs. */
  onEvent: (event: AgentEvent) => void;
  keepOutput: (commandId: string) => Promise<string>;
  /** Returns the reason why a command must not run; undefined if it may. */
  permit: (command: string) => Promise<string | undefined>;
  /** The same for writing a file, given by its absolute path. */
  permitFile: (path: string) => Promise<string | undefined>;
  /** Masks secrets in a file's text. */
  mask: (text: string) => string;
  /** Like `mask`, for a long text: yields in between. */
  maskLong: (text: string) => Promise<string>;
}

/** `data` is base64. */
export interface ToolImage {
  mediaType: string;
  data: string;
}

export interface ToolOutcome {
  ok: boolean;
  /** For the model. */
  output: string;
  /** For a model that accepts images. */
  images?: readonly ToolImage[];
  /** Recorded together with the result. */
  events?: AgentEvent[];
  artifactId?: string;
  /** True if files may have changed. */
  changes?: boolean;
  /** With `changes`: the changed files, relative to the workspace, if the tool knows all of them. */
  files?: readonly string[];
  /** The process group of a background command. */
  background?: number;
}

export interface ToolDefinition<Input extends TSchema> {
  name: string;
  description: string;
  input: Input;
  kind: ToolKind;
  /** Default: true for any kind but `change`. */
  readOnly?(input: Static<Input>): boolean;
  title(input: Static<Input>): string;
  run(input: Static<Input>, context: ToolContext): Promise<ToolOutcome>;
}

/** Defines a tool whose input is validated before it runs. */
export function defineTool<Input extends TSchema>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input: schema, kind } = definition;
  return {
    name,
    description,
    input: schema,
    kind,
    readOnly(input) {
      const value = withoutNulls(input);
      // An invalid call does nothing.
      if (!Value.Check(schema, value)) return true;
      return definition.readOnly?.(value) ?? kind !== 'change';
    },
    title(input) {
      const value = withoutNulls(input);
      return Value.Check(schema, value) ? definition.title(value) : name;
    },
    async run(input, context) {
      const value = withoutNulls(input);
      if (!Value.Check(schema, value)) return failed(`The input is not valid: ${problemsOf(schema, value)}`);
      return definition.run(value, context);
    },
  };
}

export function succeeded(output: string): ToolOutcome {
  return { ok: true, output };
}

/** A result that tells the model what went wrong and what to do. */
export function failed(output: string): ToolOutcome {
  return { ok: false, output };
}

/** Removes null fields: models send `null` for an omitted field. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function problemsOf(schema: TSchema, value: unknown): string {
  const problems = Value.Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`.trim());
  return `${problems.slice(0, 5).join('; ')}.`;
}
