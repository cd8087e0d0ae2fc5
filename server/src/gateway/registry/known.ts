import { mergeRegistries, registriesOf, tools, type HostRegistries, type Tool } from './registries.ts';

/** What the host installs from, as the worker knows it. */
export interface Registries {
  /**
   * What is known when that of `wanted` is. Never rejects. Answers at once what was read before; the first answer takes at
   * most 3 s.
   */
  read(wanted: readonly Tool[]): Promise<HostRegistries>;
  /** Whether `read` answers at once. */
  isKnown(tool: Tool): boolean;
}

type Options = Parameters<typeof registriesOf>[1];

const freshMs = 10 * 60_000;
const retryMs = 10_000;

/**
 * Begins to read the host's registries, and remembers them. What is old, or could not be read, is answered all the same
 * while it is read anew: nobody waits for that. The log is told the same thing once.
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
        tools.map((tool) => known[tool].now() ?? { unread: { [tool]: `${tool} on this host is being asked.` } }),
      );
    },
  };
}

function knowTool(tool: Tool, options: Options) {
  let known: { registries: HostRegistries; atMs: number } | undefined;
  let reading: Promise<void> | undefined;
  const refresh = async (): Promise<void> => {
    // What the tool said before holds until it says something else.
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
