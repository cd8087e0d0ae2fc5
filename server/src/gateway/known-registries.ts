import { hostRegistries, type HostRegistries } from './registries.ts';

/** What the host installs from, as the worker knows it. */
export interface Registries {
  /** Never rejects. Answers at once when anything is known; the first answer takes at most 3 s. */
  read(): Promise<HostRegistries>;
  /** Whether `read` answers at once. */
  isKnown(): boolean;
}

const freshMs = 10 * 60_000;
const retryMs = 10_000;

/**
 * Begins to read the host's registries, and remembers them. What is old, or could not be read, is answered all the same
 * while it is read anew: nobody waits for that.
 */
export function knowRegistries(options: Parameters<typeof hostRegistries>[0]): Registries {
  let known: { registries: HostRegistries; atMs: number } | undefined;
  let reading: Promise<HostRegistries> | undefined;
  const refresh = async (): Promise<HostRegistries> => {
    // What a tool said before holds until it says something else.
    const { unread: _outdated, ...before } = known?.registries ?? {};
    const registries = { ...before, ...(await hostRegistries(options)) };
    known = { registries, atMs: performance.now() };
    reading = undefined;
    return registries;
  };
  reading = refresh();
  return {
    isKnown: () => known !== undefined,
    async read() {
      if (known === undefined) return (reading ??= refresh());
      const { registries, atMs } = known;
      if (performance.now() - atMs > (registries.unread === undefined ? freshMs : retryMs)) reading ??= refresh();
      return registries;
    },
  };
}
