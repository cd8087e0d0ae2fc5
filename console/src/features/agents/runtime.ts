import type { Agent, Runtime } from './queries.ts';

/** Returns the id of the program that runs an agent: `builtin`, `script`, or a preset. */
export function runtimeIdOf({ runtime, runtime_config: config }: Pick<Agent, 'runtime' | 'runtime_config'>): string {
  const preset = config['preset'];
  return runtime === 'acp' && typeof preset === 'string' ? preset : runtime;
}

/** Says why an agent cannot run; '' if it can, or if that is not known. */
export function problemOf(agent: Pick<Agent, 'runtime' | 'runtime_config'>, runtimes: readonly Runtime[] | undefined) {
  const id = runtimeIdOf(agent);
  return runtimes?.find((one) => one.id === id)?.problem ?? '';
}

/** Returns the configuration that a runtime starts with, as JSON to edit; '' for one that takes none. */
export function templateOf(id: string): string {
  if (id === 'builtin') return '';
  const config = id === 'script' ? { steps: [{ run: 'npm test' }], summary: 'Ran the tests.' } : { preset: id };
  return JSON.stringify(config, null, 2);
}

/** Returns a configuration that was written as JSON; undefined if it is no JSON object. */
export function configOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
