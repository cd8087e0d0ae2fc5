import type { Static, TObject } from 'typebox';
import { Value } from 'typebox/value';
import { requireScope, type AuthenticatedCaller } from '../../caller.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldNames, type FieldNames } from '../../lib/field-error.ts';
import { stepsOf } from '../../lib/json-pointer.ts';
import { schemaProblems } from '../../lib/schema-problems.ts';
import type { Scope } from '../../lib/scopes.ts';

/** The context of a tool call. */
export interface ToolCall {
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Reports progress to the client, if it wants that. */
  report(progress: number, total: number, message: string): Promise<void>;
}

/** The description of a tool for MCP clients. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: TObject;
  outputSchema: TObject;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
}

export interface Tool {
  listing: ToolListing;
  /** Names a field of the called operation: as an argument, if it is one. */
  name: FieldNames;
  /** Throws the errors of the API: 403 `forbidden`, 400 `invalid_request`, and those of the operation. */
  run(
    caller: AuthenticatedCaller,
    input: unknown,
    call: ToolCall,
  ): Promise<{ structured: Record<string, unknown>; text: string }>;
}

interface ToolContract<I extends TObject, O extends TObject> {
  name: string;
  title: string;
  description: string;
  scope: Scope;
  input: I;
  output: O;
  /** `reads` changes nothing; `adds` changes something; `ends` is final, and a repetition changes nothing more. */
  effect: 'reads' | 'adds' | 'ends';
  run(caller: AuthenticatedCaller, input: Static<I>, call: ToolCall): Promise<Static<O>>;
  /** The result as text, for people and for clients without structured content. */
  text(output: Static<O>): string;
}

/** Declares a tool. */
export function tool<I extends TObject, O extends TObject>(contract: ToolContract<I, O>): Tool {
  const { name, title, description, scope, input, output, effect } = contract;
  return {
    listing: {
      name,
      title,
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: {
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'ends',
        idempotentHint: effect !== 'adds',
        openWorldHint: effect === 'adds',
      },
    },
    name: (path) => fieldNames((stepsOf(path)[0] ?? '') in input.properties ? 'arguments' : '')(path),
    async run(caller, given, call) {
      requireScope(caller, scope);
      if (!Value.Check(input, given)) throw new AppError('invalid_request', problemsOf(input, given));
      const structured = await contract.run(caller, given, call);
      return { structured: { ...structured }, text: contract.text(structured) };
    },
  };
}

/** Returns the problems that a model can fix: each argument, its rule, and the given value. */
function problemsOf(schema: TObject, given: unknown): string {
  const problems = schemaProblems(schema, given).slice(0, 10);
  const known = Object.keys(schema.properties).join(', ');
  const told = problems.map(({ path, message }) => {
    const sent = path === '' ? given : Value.Pointer.Get(given, path);
    const was = sent === undefined ? '' : `, and is ${shortened(JSON.stringify(sent))}`;
    return `${fieldNames('arguments')(path)} ${message}${was}`;
  });
  return `${told.join('; ')}. The arguments are: ${known}.`;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
