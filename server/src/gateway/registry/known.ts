import { mergeRegistries, registriesOf, tools, type HostRegistries, type Tool } from './registries.ts';

/** The host's package registries, as the worker knows them. */
export interface Registries {
  /**
   * Returns the registries once those of `wanted` are known. Never rejects. Returns at once after the first read, which takes
   * at most 3 s.
   */
  read(wanted: readonly Tool[]): Promise<HostRegistries>;
  /** Returns true if `read` returns at once. */
  isKnown(tool: Tool): boolean;
}

type Options = Parameters<typeof registriesOf>[1];

const freshMs = 10 * 60_000;
const retryMs = 10_000;

/**
 * Starts to read the host's registries and caches them. Returns an old or failed result while a new read is under way. Logs
 * each message once.
 */
export function knowRegistries({ log, environment }: Options): Registries {
  const told = new Set<string>();
  const once = (level: 'info' | 'warn') => (fields: object, message: string) => {
    const key = JSON.stringify([fields, message]);
    if (!told.has(key)) log[level](fields, message);
    told.add(key);
  };
  const options = { log: { info: once('info'), warn: once('warn') }, environment };
  const known = { npm: knowTool('npm', options), pip: knowTool('pip', options) };
  return {
    isKnown: (tool) => known[tool].now() !== undefined,
    async read(wanted) {
      await Promise.all(wanted.map((tool) => known[tool].read()));
      return mergeRegistries(
        tools.map(
          (tool) =>
            known[tool].now() ?? { unread: { [tool]: `Waiting for the configuration of ${tool} on this host.` } },
        ),
      );
    },
  };
}

function knowTool(tool: Tool, options: Options) {
  let known: { registries: HostRegistries; atMs: number } | undefined;
  let reading: Promise<void> | undefined;
  const refresh = async (): Promise<void> => {
    // The previous result stays valid until the tool reports another one.
    const { unread: _outdated, ...before } = known?.registries ?? {};
    const registries = { ...before, ...(await registriesOf(tool, options)) };
    known = { registries, atMs: performance.now() };
    reading = undefined;
  };
  reading = refresh();
  return {
    now: () => known?.registries,
    async read(): Promise<void> {
      if (known === undefined) return (reading ??= refresh());
      const { registries, atMs } = known;
      if (performance.now() - atMs > (registries.unread === undefined ? freshMs : retryMs)) reading ??= refresh();
      return undefined;
    },
  };
}
