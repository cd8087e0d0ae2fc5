import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../src/db/embedded/start.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/pool.ts';
import { createJobs } from '../src/jobs/queue.ts';
import { queues } from '../src/jobs/queues.ts';
import { lockFile } from '../src/lib/file-lock.ts';
import { createLog } from '../src/lib/log.ts';
import { databaseUrl, newDatabaseName, runOn } from './support/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database server on which databases may be created. */
    databaseServer: string;
    /** The name of the migrated database that each test file clones. */
    templateDatabase: string;
    /** A data directory with a migrated, stopped database, for copies. */
    preparedData: string;
  }
}

/** A file system in memory, if it has enough space. On disk each database takes five times the CPU time. */
const memory = '/dev/shm';
const neededBytes = 8 * 1024 ** 3;
/** Only for database clusters, so that other directories of tests are not removed while they run. */
const directoryPrefix = 'guildhall-cluster-';
/** Another run may have created its directory without having locked it yet. */
const leftoverAgeMs = 600_000;

/**
 * Starts one database server for the whole run, with one migrated template that includes the queue's tables.
 * `GUILDHALL_TEST_DATABASE_URL` names a server to use instead (PostgreSQL 15 or newer, a role that may create
 * databases).
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Each project inherits this file, and what the root project provides.
  if (!project.isRootProject()) return undefined;
  await removeLeftovers();
  const directory = mkdtempSync(join(clusterRoot(), directoryPrefix));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const prepared = join(directory, 'prepared');
    await prepare(prepared);
    const server = await startServer(directory, prepared);
    project.provide('preparedData', prepared);
    project.provide('databaseServer', server.url);
    project.provide('templateDatabase', server.template);
    return async () => {
      await server.stop();
      remove();
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function clusterRoot(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < neededBytes ? tmpdir() : memory;
}

/** Creates a database in the initial state of every installation. */
async function prepare(dataDir: string): Promise<void> {
  const server = await startEmbedded({ dataDir, log: createLog('warn'), settings: { fsync: 'off' } });
  try {
    await migrateTemplate(server.connectionString);
  } finally {
    await server.stop();
  }
}

interface Server {
  url: string;
  template: string;
  stop(): Promise<void>;
}

async function startServer(directory: string, prepared: string): Promise<Server> {
  const template = newDatabaseName('template');
  const outside = process.env.GUILDHALL_TEST_DATABASE_URL;
  if (outside !== undefined && outside !== '') {
    const stop = () => runOn(outside, `drop database if exists ${template} with (force)`);
    await runOn(outside, `create database ${template} template template0`);
    await migrateTemplate(databaseUrl(outside, template)).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { url: outside, template, stop };
  }
  // Keeps the modes, which PostgreSQL checks.
  execFileSync('cp', ['-a', join(prepared, 'postgres'), directory]);
  const server = await startEmbedded({ dataDir: directory, log: createLog('warn'), disposable: true });
  const url = server.connectionString;
  // Not the template itself, because its creator is connected to it.
  await runOn(url, `create database ${template} template guildhall`);
  return { url, template, stop: () => server.stop() };
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

/**
 * Removes directories of killed runs. Usually the server's watcher does that, except in the second before it starts.
 */
async function removeLeftovers(): Promise<void> {
  const roots = [tmpdir(), memory].filter((root) => existsSync(root));
  const directories = roots.flatMap((root) => readdirSync(root).map((name) => ({ name, dir: join(root, name) })));
  for (const { dir } of directories.filter(({ name }) => name.startsWith(directoryPrefix))) {
    const info = statSync(dir, { throwIfNoEntry: false });
    const isOld = info !== undefined && Date.now() - info.mtimeMs > leftoverAgeMs;
    const lock = isOld ? await lockFile(join(dir, 'postgres.lock')).catch(() => undefined) : undefined;
    if (lock !== undefined) {
      rmSync(dir, { recursive: true, force: true });
      await lock.release();
    }
  }
}
