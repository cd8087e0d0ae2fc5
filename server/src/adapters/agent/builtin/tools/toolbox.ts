import { jsonSchema, tool as sdkTool, type JSONSchema7, type ToolSet } from 'ai';
import type { AgentMode, AgentTool } from '../../port.ts';
import { askTool } from './ask.ts';
import { checkTool } from './check.ts';
import { editTool } from './edit.ts';
import { workerTool } from './worker-tool.ts';
import { planTool } from './plan.ts';
import { readTool } from './read.ts';
import { searchTool } from './search.ts';
import { shellTool } from './shell.ts';
import { submitPlanTool } from './submit-plan.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

const looking = [readTool, searchTool, planTool, askTool];
const all = [shellTool, readTool, writeTool, editTool, searchTool, planTool, askTool, checkTool];
const own: Record<AgentMode, readonly Tool[]> = {
  build: all,
  plan: looking,
  propose: [...looking, submitPlanTool],
  ask: looking,
};
/** Names that tools of the worker must not use. */
const reserved = new Set([...all, submitPlanTool].map(({ name }) => name));

/** Limit of tools: providers refuse a request with more. */
const maxTools = 128;

/**
 * Returns a mode's tools: the agent's own, and those of the worker with other names. Only the mode `build` has tools that
 * change anything.
 */
export function toolsForMode(mode: AgentMode, given: readonly AgentTool[] = []): ReadonlyMap<string, Tool> {
  const tools = new Map(own[mode].map((tool) => [tool.name, tool]));
  for (const tool of given) {
    if (tools.size >= maxTools) break;
    const isTaken = tools.has(tool.name) || reserved.has(tool.name);
    if (!isTaken && (mode === 'build' || tool.readOnly)) tools.set(tool.name, workerTool(tool));
  }
  return tools;
}

/** Converts tools for the SDK. Inputs are validated when a tool runs, so that a mistake becomes a result. */
export function toSdkTools(tools: ReadonlyMap<string, Tool>): ToolSet {
  return Object.fromEntries(
    [...tools.values()].map(({ name, description, input }) => {
      const schema: JSONSchema7 = JSON.parse(JSON.stringify(input));
      return [name, sdkTool({ description, inputSchema: jsonSchema(schema) })];
    }),
  );
}
