import { ProviderError } from '../../../lib/errors.ts';
import type { AgentRunner } from '../port.ts';
import { builtinCapabilities } from './capabilities.ts';
import { createRetries, type RetryOptions } from './retries.ts';

/**
 * The runtime `builtin`: a loop that calls a model through the gateway, with tools that work in the session's sandbox. Each
 * step is recorded before the next, so another worker can continue where this one ended.
 */
export function createBuiltinRunner(options: RetryOptions = {}): AgentRunner {
  const retries = createRetries(options);
  return {
    capabilities: builtinCapabilities,
    async start(agentOptions) {
      agentOptions.signal?.throwIfAborted();
      const { model, settings } = agentOptions;
      if (model === undefined) {
        const named = settings.model === '' ? 'No model is configured' : `The model ${settings.model} is not available`;
        throw new ProviderError(`${named}. The built-in agent needs a model and its provider's key.`, {
          retryable: false,
        });
      }
      // Loaded on first use: the SDK takes 200 ms and 35 MB.
      const { openAgent } = await import('./agent.ts');
      agentOptions.signal?.throwIfAborted();
      return openAgent(agentOptions, model, retries);
    },
  };
}
