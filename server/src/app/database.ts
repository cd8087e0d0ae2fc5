import type { Config } from '../config/config.ts';
import { startEmbedded, type EmbeddedOptions } from '../db/embedded/start.ts';
import type { Log } from '../lib/log.ts';

export interface StartedDatabase {
  connectionString: string;
  stop: () => Promise<void>;
}

/** Starts the embedded PostgreSQL, unless `DATABASE_URL` names another one, which nothing here stops. */
export async function startDatabase(
  { data, databaseUrl }: Config,
  log: Log,
  options: Pick<EmbeddedOptions, 'settings' | 'onProcess'> = {},
): Promise<StartedDatabase> {
  if (databaseUrl !== '') return { connectionString: databaseUrl, stop: async () => undefined };
  const embedded = await startEmbedded({ dataDir: data, log, ...options });
  return { connectionString: embedded.connectionString, stop: () => embedded.stop() };
}
