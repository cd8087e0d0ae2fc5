import { ProviderError } from '../../../lib/errors.ts';
import type { AgentRunner } from '../port.ts';
import { builtinCapabilities } from './capabilities.ts';
import { retriesOf, type RetryOptions } from './retries.ts';

/**
 * The runtime `builtin`: a loop around a model that is called through the gateway, with tools that work in the session's
 * sandbox. Every step is on record before the next one, so another worker goes on where this one ended.
 */
export function createBuiltinRunner(options: RetryOptions = {}): AgentRunner {
  const retries = retriesOf(options);
  return {
    capabilities: builtinCapabilities,
    async start(agentOptions) {
      agentOptions.signal?.throwIfAborted();
      const { model, settings } = agentOptions;
      if (model === undefined) {
        const named =
          settings.model === '' ? 'No model is configured' : `The model ${settings.model} is not within reach`;
        throw new ProviderError(`${named}: the built-in agent needs one, and a key of its provider.`, {
          retryable: false,
        });
      }
      // The SDK costs 200 ms and 35 MB to load, which a process without such a session saves.
      const { openAgent } = await import('./agent.ts');
      agentOptions.signal?.throwIfAborted();
      return openAgent(agentOptions, model, retries);
    },
  };
}
