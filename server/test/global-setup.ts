import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../src/db/embedded/start.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/pool.ts';
import { createJobs } from '../src/jobs/queue.ts';
import { queues } from '../src/jobs/queues.ts';
import { acquireFileLock, type DataLock } from '../src/lib/data-lock.ts';
import { createLog } from '../src/lib/log.ts';
import { databaseUrl, newDatabaseName, runOn } from './support/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A URL of a database server on which databases may be created. */
    databaseServer: string;
    /** The name of the migrated database that each test file clones. */
    templateDatabase: string;
  }
}

/** Of clusters alone: what tests keep in a directory of their own is no leftover while they run. */
const directoryPrefix = 'guildhall-cluster-';
/** Another run may have made its directory and not locked it yet. */
const leftoverAgeMs = 60_000;

/**
 * One database server for the whole run, and on it one migrated template, the queue's tables included. `GUILDHALL_TEST_DATABASE_URL` names a server to
 * use instead (PostgreSQL 15 or newer, a role that may create databases).
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const template = newDatabaseName('template');
  try {
    await runOn(server.url, `create database ${template} template template0`);
    await migrateTemplate(databaseUrl(server.url, template));
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('databaseServer', server.url);
  project.provide('templateDatabase', template);
  return async () => {
    await runOn(server.url, `drop database if exists ${template} with (force)`);
    await server.stop();
  };
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const outside = process.env.GUILDHALL_TEST_DATABASE_URL;
  if (outside !== undefined && outside !== '') {
    return { url: outside, stop: async () => undefined };
  }
  removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), directoryPrefix));
  const server = await startEmbedded({ dataDir, log: createLog('warn'), disposable: true });
  return { url: server.connectionString, stop: () => server.stop() };
}

async function migrateTemplate(connectionString: string): Promise<void> {
  const database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'guildhall template' });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  const log = createLog('warn');
  const jobs = createJobs({ connectionString, applicationName: 'guildhall template', queues, log });
  try {
    await jobs.start();
  } finally {
    await jobs.stop({ graceMs: 0 });
  }
}

/** The server's watcher removes the directory even when a run is killed, except in the second before it starts. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(directoryPrefix))) {
    const dir = join(tmpdir(), name);
    const info = statSync(dir, { throwIfNoEntry: false });
    const isOld = info !== undefined && Date.now() - info.mtimeMs > leftoverAgeMs;
    const lock = isOld ? tryLock(join(dir, 'postgres.lock')) : undefined;
    if (lock !== undefined) {
      rmSync(dir, { recursive: true, force: true });
      lock.release();
    }
  }
}

function tryLock(path: string): DataLock | undefined {
  try {
    return acquireFileLock(path, () => `${path} is in use`);
  } catch {
    return undefined;
  }
}
