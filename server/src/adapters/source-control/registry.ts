import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';
import type { SourceControl } from './port.ts';

/** The providers that this version speaks to. */
export interface SourceControls {
  has(provider: Provider): boolean;
  /** Throws a permanent ProviderError for one that this version does not speak to. */
  of(provider: Provider): SourceControl;
}

export function createSourceControls(adapters: readonly SourceControl[]): SourceControls {
  const byProvider = new Map(adapters.map((adapter) => [adapter.provider, adapter]));
  return {
    has: (provider) => byProvider.has(provider),
    of(provider) {
      const adapter = byProvider.get(provider);
      if (adapter === undefined)
        throw new ProviderError(`This version cannot speak to ${provider}.`, { retryable: false });
      return adapter;
    },
  };
}
