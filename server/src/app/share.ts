import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import type { Config } from '../config/config.ts';
import { parse } from '../config/values.ts';

const variable = 'GUILDHALL_SHARE';

/** The part of the machine and the places that the supervising process gives one of its processes. */
const Share = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  count: Type.Integer({ minimum: 1 }),
  /** The port of all. */
  port: Type.Integer(),
  databaseUrl: Type.String(),
  isDatabaseNew: Type.Boolean(),
});

export type Share = Static<typeof Share>;

/** Returns the environment that tells a process its share. */
export function writeShare(share: Share): Record<string, string> {
  return { [variable]: JSON.stringify(share) };
}

/** Returns this process's share, and removes it from the environment; undefined for a process that nobody supervises. */
export function takeShare(environment: Record<string, string | undefined>): Share | undefined {
  const text = environment[variable];
  delete environment[variable];
  return text === undefined ? undefined : parse(Share, JSON.parse(text), `${variable} is not for operators.`);
}

/**
 * Returns the configuration of one of several processes: its own part of the machine, and directories that no other
 * process uses. The first process has the directories that a single one would have.
 */
export function configOfShare(config: Config, { number, count, port, databaseUrl, isDatabaseNew }: Share): Config {
  const partOf = (all: number): number => Math.floor(all / count) + (number <= all % count ? 1 : 0);
  const slots = partOf(config.slots);
  return Object.freeze({
    ...config,
    role: slots === 0 ? 'api' : config.role,
    processes: count,
    processNumber: number,
    port,
    databaseUrl,
    isDatabaseNew,
    data: number === 1 ? config.data : directoryOf(config, number),
    cacheMax: config.cacheMax === 0 ? 0 : Math.max(1, Math.floor(config.cacheMax / count)),
    slots: Math.max(1, slots),
    preparedSandboxes: partOf(config.preparedSandboxes),
    warnings: [],
    stopWithStdin: false,
  });
}

/** Returns the directory of all but the first of several processes, with one for each by number. */
export function directoryOfProcesses({ data }: Pick<Config, 'data'>): string {
  return join(data, 'processes');
}

export function directoryOf(config: Pick<Config, 'data'>, number: number): string {
  return join(directoryOfProcesses(config), String(number));
}
