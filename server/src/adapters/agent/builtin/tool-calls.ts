import type { AgentEvent, AgentOptions } from '../port.ts';
import { maskedJson } from '../../../lib/mask/json.ts';
import { oneLine, truncate } from './bounds.ts';
import { callWorker } from './conversation.ts';
import type { EntryOf, ToolCall } from './records.ts';
import { failed, type Tool, type ToolOutcome } from './tools/tool.ts';

/** The record of a finished call. */
export interface FinishedCall {
  entry: EntryOf<'tool'>;
  events: AgentEvent[];
}

/** Returns the event of a tool call. */
export function callEvent(
  call: ToolCall,
  { tools, options: { mask } }: { tools: ReadonlyMap<string, Tool>; options: Pick<AgentOptions, 'mask'> },
): AgentEvent {
  const { toolCallId: callId, toolName: name } = call;
  // Masks before the title is cut: the mask cannot find half a secret.
  const input = mask === undefined ? call.input : maskedJson(call.input ?? {}, mask);
  const tool = tools.get(name);
  const readOnly = tool?.kind !== 'change';
  return { kind: 'tool_call', callId, name, title: tool?.title(input) ?? name, input, readOnly };
}

/** Returns the record and events of a finished call. */
export function finishCall(call: ToolCall, outcome: ToolOutcome): FinishedCall {
  const { toolCallId: callId, toolName: name } = call;
  const { ok, events = [], artifactId, changes = false, images = [] } = outcome;
  const files = changes ? outcome.files : [];
  // PostgreSQL and some providers reject U+0000.
  const output = outcome.output.replaceAll('\0', '\uFFFD');
  return {
    entry: {
      type: 'tool',
      callId,
      name,
      ok,
      output,
      ...(changes ? { changes } : {}),
      ...(images.length === 0 ? {} : { images: [...images] }),
    },
    events: [
      ...events,
      {
        kind: 'tool_result',
        callId,
        ok,
        output,
        ...(artifactId === undefined ? {} : { artifactId }),
        ...(files === undefined ? {} : { files }),
      },
    ],
  };
}

/**
 * Runs a call. A mistake of the model is an outcome; rejects when the turn was interrupted or the sandbox is lost. `problem`
 * is the reason why the call is invalid.
 */
export async function runCall(
  call: ToolCall,
  problem: string | undefined,
  { tools, options, signal }: { tools: ReadonlyMap<string, Tool>; options: AgentOptions; signal: AbortSignal },
): Promise<ToolOutcome> {
  const tool = tools.get(call.toolName);
  if (tool === undefined) {
    return failed(
      `There is no tool ${JSON.stringify(truncate(call.toolName, 100))}. Available tools: ${[...tools.keys()].join(', ')}.`,
    );
  }
  if (problem !== undefined) return failed(truncate(oneLine(problem), 2_000));
  const { sandbox, keepOutput, mask = (text) => text, maskLong = async (text) => mask(text) } = options;
  const permit = async (command: string) =>
    options.permit === undefined ? undefined : callWorker(options.permit(command));
  const permitFile = async (path: string) =>
    options.permitFile === undefined ? undefined : callWorker(options.permitFile(path));
  const onEvent = (event: AgentEvent) =>
    options.onEvent(event.kind === 'command' ? { ...event, callId: call.toolCallId } : event);
  const given = { sandbox, signal, onEvent, keepOutput, permit, permitFile, mask, maskLong };
  const outcome = await tool.run(call.input, given);
  return { ...outcome, output: await maskLong(outcome.output) };
}
