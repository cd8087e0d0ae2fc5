import { Type } from 'typebox';
import { messageOf, ProviderError } from '../../../../lib/errors.ts';
import type { AgentTool, AgentToolResult } from '../../port.ts';
import { truncate, oneLine, shortenMiddle } from '../bounds.ts';
import { interruptible } from './files.ts';
import { failed, type Tool, type ToolContext, type ToolImage, type ToolOutcome } from './tool.ts';

/** The maximum length of an output for the model, in characters. */
const shownLength = 30_000;
/** Limits for images: providers accept more, but every later step would pay for them. */
const maxImages = 4;
const maxImageLength = 1_500_000;
/** Image types that every provider supports. */
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Wraps a tool of the worker as a tool of the agent, with its schema unchanged. */
export function workerTool(given: AgentTool): Tool {
  const { name, description, input, readOnly } = given;
  return {
    name,
    description,
    input: Type.Unsafe(input),
    kind: readOnly ? 'read' : 'change',
    readOnly: () => readOnly,
    title: (value) => truncate(oneLine(given.title(value)), 200) || name,
    run: (value, context) => runWorkerTool(given, value, context),
  };
}

async function runWorkerTool(
  given: AgentTool,
  input: unknown,
  { signal, maskLong }: ToolContext,
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  let result: AgentToolResult;
  try {
    result = await interruptible(signal, given.run(input, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    return { ...failed(`The tool failed: ${truncate(oneLine(messageOf(error)), 2_000)}`), changes: !given.readOnly };
  }
  const { ok, artifactId, images = [] } = result;
  const shown = images.filter(canBeShown).slice(0, maxImages);
  const left = images.length - shown.length;
  const note = left === 0 ? '' : `\n[${left} ${left === 1 ? 'image' : 'images'} could not be shown]`;
  return {
    ok,
    // Masks before cutting: the mask cannot find half a secret.
    output: shortenMiddle(await maskLong(result.output), shownLength) + note,
    changes: !given.readOnly,
    ...(shown.length === 0 ? {} : { images: shown }),
    ...(artifactId === undefined ? {} : { artifactId }),
  };
}

function canBeShown({ mediaType, data }: ToolImage): boolean {
  return imageTypes.has(mediaType) && data.length > 0 && data.length <= maxImageLength;
}
