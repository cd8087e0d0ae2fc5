import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';
import { CredentialRejected } from './connection.ts';
import type { SourceControl } from './port.ts';

/** Providers that this version supports. */
export interface SourceControls {
  /** Throws a permanent ProviderError for an unsupported provider. */
  of(provider: Provider): SourceControl;
}

/** `onRejected` is called, and awaited, when an adapter throws that a host rejected a credential. */
export function createSourceControls(
  adapters: readonly SourceControl[],
  onRejected: (error: CredentialRejected) => Promise<void>,
): SourceControls {
  const byProvider = new Map(adapters.map((adapter) => [adapter.provider, watched(adapter, onRejected)]));
  return {
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

function watched(adapter: SourceControl, onRejected: (error: CredentialRejected) => Promise<void>): SourceControl {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, given);
        if (!(result instanceof Promise)) return result;
        return result.catch(async (error: unknown) => {
          if (error instanceof CredentialRejected) await onRejected(error);
          throw error;
        });
      };
    },
  });
}
