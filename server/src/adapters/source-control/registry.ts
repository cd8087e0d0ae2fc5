import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';
import type { SourceControl } from './port.ts';

/** Providers that this version supports. */
export interface SourceControls {
  has(provider: Provider): boolean;
  /** Throws a permanent ProviderError for an unsupported provider. */
  of(provider: Provider): SourceControl;
}

export function createSourceControls(adapters: readonly SourceControl[]): SourceControls {
  const byProvider = new Map(adapters.map((adapter) => [adapter.provider, adapter]));
  return {
    has: (provider) => byProvider.has(provider),
    of(provider) {
      const adapter = byProvider.get(provider);
      if (adapter === undefined)
        throw new ProviderError(`This version of Guildhall does not support the provider ${provider}.`, {
          retryable: false,
        });
      return adapter;
    },
  };
}
