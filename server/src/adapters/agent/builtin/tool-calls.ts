import type { AgentEvent, AgentOptions } from '../port.ts';
import { maskedJson } from '../../../lib/mask/json.ts';
import { oneLine, beginningOf } from './bounds.ts';
import type { EntryOf, ToolCall } from './records.ts';
import { failed, type Tool, type ToolOutcome } from './tools/tool.ts';

/** The record of a finished call. */
export interface FinishedCall {
  entry: EntryOf<'tool'>;
  events: AgentEvent[];
}

/** Returns a tool call as people see it. */
export function callEvent(
  call: ToolCall,
  { tools, options: { mask } }: { tools: ReadonlyMap<string, Tool>; options: Pick<AgentOptions, 'mask'> },
): AgentEvent {
  const { toolCallId: callId, toolName: name } = call;
  // Before its title is cut: half of a secret is none that could be found.
  const input = mask === undefined ? call.input : maskedJson(call.input ?? {}, mask);
  const tool = tools.get(name);
  const readOnly = tool?.kind !== 'change';
  return { kind: 'tool_call', callId, name, title: tool?.title(input) ?? name, input, readOnly };
}

/** The record and the events of a call that has come to an end. */
export function finishCall(call: ToolCall, outcome: ToolOutcome): FinishedCall {
  const { toolCallId: callId, toolName: name } = call;
  const { ok, events = [], artifactId, changes = false, images = [] } = outcome;
  const files = changes ? outcome.files : [];
  // Neither PostgreSQL nor every provider takes it.
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
 * Runs a call. What the model did wrong is an outcome; rejects when the turn was interrupted or the sandbox is lost.
 * `problem` is what was wrong with the call when it came.
 */
export async function runCall(
  call: ToolCall,
  problem: string | undefined,
  { tools, options, signal }: { tools: ReadonlyMap<string, Tool>; options: AgentOptions; signal: AbortSignal },
): Promise<ToolOutcome> {
  const tool = tools.get(call.toolName);
  if (tool === undefined) {
    return failed(
      `There is no tool ${JSON.stringify(beginningOf(call.toolName, 100))}. There are: ${[...tools.keys()].join(', ')}.`,
    );
  }
  if (problem !== undefined) return failed(beginningOf(oneLine(problem), 2_000));
  const { sandbox, keepOutput, mask = (text) => text, maskLong = async (text) => mask(text) } = options;
  const onEvent = (event: AgentEvent) =>
    options.onEvent(event.kind === 'command' ? { ...event, callId: call.toolCallId } : event);
  const outcome = await tool.run(call.input, { sandbox, signal, onEvent, keepOutput, mask, maskLong });
  return { ...outcome, output: await maskLong(outcome.output) };
}
