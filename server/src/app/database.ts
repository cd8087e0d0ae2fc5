import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';
import { startEmbedded, type EmbeddedOptions } from '../db/embedded/start.ts';
import { messageOf } from '../lib/errors.ts';
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

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT', 'EAI_AGAIN']);

/** By SQLSTATE, or the code of Node. */
const remedies = new Map([
  ['ERR_INVALID_URL', 'Name one host, and percent-encode the special characters of user and password.'],
  ['28P01', 'Correct its user or password.'],
  ['28000', 'Correct its user or password.'],
  ['3D000', 'Create that database, or correct its name.'],
  ['42501', 'Make the role of the URL the owner of the database.'],
  ['53300', 'Each process needs up to 16 connections, or more on many cores: allow more, or close others.'],
  ['57P03', 'Start Guildhall again when it accepts connections.'],
]);

/** Adds the remedy to the error of a missing or wrong database; returns any other error unchanged. */
export function databaseProblem({ databaseUrl }: Pick<Config, 'databaseUrl'>, error: unknown): unknown {
  if (databaseUrl === '') return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy =
    remedies.get(code) ??
    (unreachable.has(code) || /timeout|^Connection terminated/.test(messageOf(error))
      ? 'Start it, or correct its host and port.'
      : '');
  return remedy === ''
    ? error
    : new ConfigError(`The database of DATABASE_URL cannot be used: ${messageOf(error)}. ${remedy}`, { cause: error });
}
