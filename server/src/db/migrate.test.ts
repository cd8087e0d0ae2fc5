import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts';
import { databaseUrl, newDatabaseName, runOn } from '../../test/support/template.ts';
import { createLog } from '../lib/log.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { openDatabase } from './pool.ts';

let directory: string;
let target: TestDatabase;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  target = await createEmptyDatabase();
});
afterEach(async () => {
  await target.drop();
  rmSync(directory, { recursive: true });
});

function write(name: string, sql: string): void {
  writeFileSync(join(directory, name), sql);
}

async function query(text: string): Promise<unknown[]> {
  const { rows } = await target.database.pool.query({ text, rowMode: 'array' });
  return rows.flat();
}

/** Runs a statement about this database, whose name replaces `current`. */
async function alter(statement: string): Promise<void> {
  const name = new URL(target.connectionString).pathname.slice(1);
  await runOn(inject('databaseServer'), statement.replace('database current', `database ${name}`));
}

test('files are applied once, in order, and recorded', async () => {
  write('20260102000000_second.sql', 'alter table notes add column n int; insert into notes (n) values (1);');
  write('20260101000000_first.sql', 'create table notes (text text);');
  expect(await migrate(target.database, { directory })).toEqual([
    '20260101000000_first.sql',
    '20260102000000_second.sql',
  ]);
  expect(await migrate(target.database, { directory })).toEqual([]);
  expect(await query('select n from notes')).toEqual([1]);
  expect(await query('select version, name from schema_migrations order by version')).toEqual([
    '20260101000000',
    'first',
    '20260102000000',
    'second',
  ]);
});

test('a file merged later with an earlier timestamp is applied', async () => {
  write('20260102000000_second.sql', 'create table second (n int);');
  await migrate(target.database, { directory });
  write('20260101000000_first.sql', 'create table first (n int);');
  expect(await migrate(target.database, { directory })).toEqual(['20260101000000_first.sql']);
});

test('a file that fails is undone as a whole, those before it stay, and the next try goes on from there', async () => {
  write('20260101000000_good.sql', 'create table good (n int);');
  write('20260102000000_bad.sql', 'create table half (n int); select * from nowhere;');
  await expect(migrate(target.database, { directory })).rejects.toThrow(
    'Migration 20260102000000_bad.sql failed and was rolled back: relation "nowhere" does not exist',
  );
  expect(await query(`select to_regclass('good')::text, to_regclass('half')::text`)).toEqual(['good', null]);
  write('20260102000000_bad.sql', 'create table half (n int);');
  expect(await migrate(target.database, { directory })).toEqual(['20260102000000_bad.sql']);
});

test('a changed file is refused, other line endings are no change', async () => {
  write('20260101000000_first.sql', 'create table notes (\n  text text\n);\n');
  await migrate(target.database, { directory });
  write('20260101000000_first.sql', 'create table notes (\r\n  text text\r\n);\r\n');
  expect(await migrate(target.database, { directory })).toEqual([]);
  write('20260101000000_first.sql', 'create table notes (\n  text varchar\n);\n');
  await expect(migrate(target.database, { directory })).rejects.toThrow(
    'Migration 20260101000000_first.sql was changed after it was applied',
  );
});

test('a database newer than the program is refused before anything is applied', async () => {
  write('20260101000000_first.sql', 'create table first (n int);');
  write('20260103000000_third.sql', 'create table third (n int);');
  await migrate(target.database, { directory });
  rmSync(join(directory, '20260103000000_third.sql'));
  write('20260102000000_second.sql', 'create table second (n int);');
  await expect(migrate(target.database, { directory })).rejects.toThrow(
    'The database is newer than this program: it has migration 20260103000000_third',
  );
  expect(await query(`select to_regclass('second')`)).toEqual([null]);
});

test('processes that start at once apply each file once', async () => {
  write('20260101000000_first.sql', 'create table notes (n int); select pg_sleep(0.2);');
  write('20260102000000_second.sql', 'insert into notes values (1);');
  const { connectionString } = target;
  const others = ['a', 'b', 'c'].map((applicationName) =>
    openDatabase({ connectionString, maxConnections: 1, applicationName }),
  );
  const results = await Promise.all(others.map((database) => migrate(database, { directory })));
  expect(results.flat()).toEqual(['20260101000000_first.sql', '20260102000000_second.sql']);
  expect(await query('select n from notes')).toEqual([1]);
  await Promise.all(others.map((database) => database.close()));
});

test('a process that waits for another one says for which', async () => {
  write('20260101000000_first.sql', 'create table first (n int);');
  const holder = await target.database.connect('a holder');
  await holder.query('hold', 'select pg_advisory_lock(7420180015)');
  const file = join(directory, 'log');
  const descriptor = openSync(file, 'w');
  const options = { directory, log: createLog('warn', descriptor), noticeAfterMs: 50 };
  const migrated = migrate(target.database, options);
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 10_000 }).toContain('this one waits for it');
  expect(readFileSync(file, 'utf8')).toContain(`"pid":${holder.backendPid},"application_name":"a holder"`);
  await holder.close();
  expect(await migrated).toHaveLength(1);
  closeSync(descriptor);
});

test('a migration may run longer than the time limit of statements, and its settings stay its own', async () => {
  const { connectionString } = target;
  const limited = openDatabase({ connectionString, maxConnections: 1, applicationName: 'x', statementTimeoutMs: 50 });
  write('20260101000000_slow.sql', 'select pg_sleep(0.2);');
  await migrate(limited, { directory });
  await expect(limited.pool.query('select pg_sleep(0.2)')).rejects.toMatchObject({ code: '57014' });
  await limited.close();
});

test('a misnamed file and a version used twice are refused', async () => {
  write('first.sql', 'select 1');
  await expect(migrate(target.database, { directory })).rejects.toThrow('Migration first.sql is not named');
  rmSync(join(directory, 'first.sql'));
  write('20260101000000_a.sql', 'select 1');
  write('20260101000000_b.sql', 'select 1');
  await expect(migrate(target.database, { directory })).rejects.toThrow(
    'Two migrations have the version 20260101000000',
  );
});

test.each([
  ['DateStyle', 'German', "has the setting DateStyle = 'German, DMY', and Guildhall needs 'ISO'. Run: alter role"],
  ['standard_conforming_strings', 'off', "standard_conforming_strings = 'off', and Guildhall needs 'on'"],
  ['default_transaction_isolation', 'serializable', 'Run: alter role'],
  ['default_transaction_read_only', 'on', 'is read-only. Run: alter role'],
])('a database with %s = %s is refused, and the remedy works', async (name, value, message) => {
  write('20260101000000_first.sql', 'create table first (n int);');
  await alter(`alter database current set ${name} = '${value}'`);
  const refused = openDatabase({ ...target, maxConnections: 1, applicationName: 'x' });
  const error: unknown = await migrate(refused, { directory }).catch((reason: unknown) => reason);
  await refused.close();
  expect(String(error)).toContain(message);
  await alter(`set default_transaction_read_only = off; ${/Run: (.*)$/.exec(String(error))?.[1]}`);
  const mended = openDatabase({ ...target, maxConnections: 1, applicationName: 'x' });
  expect(await migrate(mended, { directory })).toHaveLength(1);
  await mended.close();
});

test.each([
  ["encoding 'SQL_ASCII' locale_provider libc locale 'C'", 'has the encoding SQL_ASCII, and Guildhall needs UTF8.'],
  ["locale_provider icu icu_locale 'tr-TR'", 'has a locale in which the lower case of I is not i, such as Turkish'],
])('a database made with %s is refused', async (options, problem) => {
  const name = newDatabaseName('test');
  const server = inject('databaseServer');
  await runOn(server, `create database ${name} ${options} template template0`);
  const connectionString = databaseUrl(server, name);
  const database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'guildhall test' });
  await expect(migrate(database, { directory })).rejects.toThrow(`The database ${name} ${problem}`);
  await database.close();
  await runOn(server, `drop database ${name} with (force)`);
});

test('what is pending can be asked for, which changes nothing', async () => {
  write('20260101000000_first.sql', 'create table first (n int);');
  write('20260102000000_second.sql', 'create table second (n int);');
  expect(await pendingMigrations(target.database, { directory })).toEqual([
    '20260101000000_first.sql',
    '20260102000000_second.sql',
  ]);
  expect(await query(`select to_regclass('schema_migrations')::text`)).toEqual([null]);
  await migrate(target.database, { directory });
  write('20260103000000_third.sql', 'create table third (n int);');
  expect(await pendingMigrations(target.database, { directory })).toEqual(['20260103000000_third.sql']);
  rmSync(join(directory, '20260102000000_second.sql'));
  await expect(pendingMigrations(target.database, { directory })).rejects.toThrow('The database is newer');
});
