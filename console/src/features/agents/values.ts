import type { Schemas } from '../../lib/api.ts';
import type { Agent } from './queries.ts';
import { configOf, runtimeIdOf } from './runtime.ts';

/** What the form of an agent holds. */
export interface AgentValues {
  name: string;
  description: string;
  system_prompt: string;
  model: string;
  max_tokens: number | null;
  temperature: number | null;
  /** The program: `builtin`, `script`, or a preset. */
  runtime: string;
  /** JSON. */
  runtime_config: string;
}

export const newAgent: AgentValues = {
  name: '',
  description: '',
  system_prompt: '',
  model: '',
  max_tokens: null,
  temperature: null,
  runtime: 'builtin',
  runtime_config: '',
};

export function valuesOf(agent: Agent): AgentValues {
  const {
    name,
    description,
    system_prompt: prompt,
    model,
    max_tokens: tokens,
    temperature,
    runtime_config: config,
  } = agent;
  return {
    name,
    description,
    system_prompt: prompt,
    model,
    max_tokens: tokens,
    temperature,
    runtime: runtimeIdOf(agent),
    runtime_config: Object.keys(config).length === 0 ? '' : JSON.stringify(config, null, 2),
  };
}

/** Returns the request. The API takes no null: what is not set is left out. */
export function requestOf(values: AgentValues): Schemas['CreateAgentRequest'] {
  const { max_tokens: tokens, temperature, runtime, runtime_config: config, model, ...rest } = values;
  return {
    ...rest,
    model: model.trim(),
    ...(tokens === null ? {} : { max_tokens: tokens }),
    ...(temperature === null ? {} : { temperature }),
    runtime: runtime === 'builtin' || runtime === 'script' ? runtime : ('acp' as const),
    runtime_config: runtime === 'builtin' ? {} : (configOf(config) ?? {}),
  };
}

/** The form's name of a field of the API. */
export function fieldOf(path: string): string {
  return path.split('.')[0] ?? path;
}

const numbers = ['max_tokens', 'temperature'] as const;

/** Returns what the API would not take, or would leave as it was: it has no way back to the model's own numbers. */
export function refusalsOf(before: AgentValues, now: AgentValues): { field: keyof AgentValues; message: string }[] {
  const isObject = configOf(now.runtime_config) !== undefined;
  const emptied = numbers.filter((field) => before[field] !== null && now[field] === null);
  return [
    ...(isObject ? [] : [{ field: 'runtime_config' as const, message: 'This must be a JSON object: { … }.' }]),
    ...emptied.map((field) => ({
      field,
      message: `An agent cannot return to its model’s own value. Set a number, or create another agent.`,
    })),
  ];
}
