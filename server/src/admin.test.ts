import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { execa } from 'execa';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startTestApi } from '../test/support/api.ts';
import { createEmptyDatabase } from '../test/support/database.ts';
import { databaseUrl, newDatabaseName, runOn } from '../test/support/template.ts';
import { prepareData, temporaryDirectory } from '../test/support/server.ts';

/** Returns a PostgreSQL server's refusal of a connection. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C28000\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test.each([
  ['admin.ts', ['ip-list', 'disable', '--org', 'acme']],
  ['main.ts', ['--role', 'api', '--port', '0']],
])('what a database says to %s steers no terminal', async (program, args) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(refusal('go\u001b[2J\u009b1m\u202eaway\r\nat once')));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const data = temporaryDirectory();
  onTestFinished(() => {
    server.close();
    data.remove();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { exitCode, stderr } = await execa({
    reject: false,
    timeout: 25_000,
    cwd: data.path,
    env: { DATABASE_URL: `postgres://user@127.0.0.1:${address.port}/x?sslmode=disable`, GUILDHALL_METRICS_PORT: '0' },
  })`${process.execPath} ${new URL(program, import.meta.url).pathname} ${args} --data ${data.path}`;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('go[2J1maway\nat once');
  expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e]/u);
});

const admin = new URL('admin.ts', import.meta.url).pathname;

describe('a directory without an installation', () => {
  test.each(['storage', 'retention', 'rollups rebuild', 'key-ring status', 'key --email a@b.example'])(
    '%s says so, and creates nothing',
    async (command) => {
      const parent = temporaryDirectory();
      onTestFinished(() => parent.remove());
      mkdirSync(`${parent.path}/empty`);
      for (const data of [`${parent.path}/empty`, `${parent.path}/missing`]) {
        const { exitCode, stderr } = await execa({
          reject: false,
          cwd: parent.path,
          env: { DATABASE_URL: '' },
        })`${process.execPath} ${admin} ${command.split(' ')} --data ${data}`;
        expect(exitCode).toBe(1);
        expect(stderr).toBe(
          `No installation is in ${data}. Name the data directory of one with --data or GUILDHALL_DATA, or create one there with npm start.`,
        );
      }
      expect(readdirSync(parent.path, { recursive: true })).toEqual(['empty']);
    },
  );

  test('doctor looks at the machine alone, and creates nothing', async () => {
    const parent = temporaryDirectory();
    onTestFinished(() => parent.remove());
    const { stdout } = await execa({
      reject: false,
      cwd: parent.path,
      env: { DATABASE_URL: '' },
    })`${process.execPath} ${admin} doctor --data ${`${parent.path}/missing`}`;
    expect(stdout).toMatch(/^ {2}✓ sandbox /m);
    expect(stdout).toMatch(/^ {2}– database +No installation is in /m);
    expect(readdirSync(parent.path)).toEqual([]);
  });
});

describe('a wrong option or variable ends a command with status 2, and says what is right', () => {
  test.each<[string[], Record<string, string>, string]>([
    [['main.ts', '--nope'], {}, 'Usage: npm start'],
    [['main.ts', '--port', 'abc'], {}, '--port / GUILDHALL_PORT is "abc"; it must be a whole number from 0 to 65535.'],
    [['main.ts', '--role', 'boss'], {}, 'it must be one of all, api, worker.'],
    [['main.ts'], { GUILDHALL_SLOTS: 'x' }, 'GUILDHALL_SLOTS is "x"; it must be a whole number from 1 to 1000.'],
    [['admin.ts', 'nope'], {}, 'Unknown command "nope".'],
    [['admin.ts', 'storage', '--data', ''], {}, '--data is ""; it must be a directory.'],
    [['admin.ts', 'key', '--email', ''], {}, '--email is empty; it must have a value.'],
    [['admin.ts', 'storage'], { GUILDHALL_SLOTS: 'x' }, 'GUILDHALL_SLOTS is "x"'],
  ])('%j %j', async ([program = '', ...args], env, problem) => {
    const path = new URL(program, import.meta.url).pathname;
    const { exitCode, stderr } = await execa(process.execPath, [path, ...args], {
      reject: false,
      env,
      timeout: 25_000,
    });
    expect(stderr).toContain(problem);
    expect(exitCode).toBe(2);
  });
});

test('a refusal names what is wrong', async () => {
  const api = await startTestApi();
  onTestFinished(() => api.close());
  const refused = (...args: string[]) => {
    const env = { DATABASE_URL: api.connectionString };
    return execa(process.execPath, [admin, ...args], { reject: false, env, input: 'kiln-orbit-marrow-7' });
  };
  const refusalOf = async (...args: string[]): Promise<string> => {
    const { stderr, exitCode } = await refused(...args);
    expect(exitCode).toBe(1);
    return stderr;
  };
  for (const command of [['key'], ['password', 'set']]) {
    expect(await refusalOf(...command, '--email', 'admin@localhost', '--org', 'nope')).toBe(
      'No organization "nope" exists here. `npm run admin -- storage` lists all.',
    );
    expect(await refusalOf(...command, '--email', 'nobody@localhost', '--org', 'default')).toBe(
      'No user "nobody@localhost" exists in the organization "default". Choose another one with --org.',
    );
  }
  expect(await refusalOf('password', 'set', '--email', 'nobody@localhost')).toBe(
    'No user "nobody@localhost" exists here.',
  );
  const { stderr, exitCode } = await refused('organization', 'weight', '--org', 'default', '--weight', '0');
  expect([exitCode, stderr]).toEqual([2, 'The weight must be a whole number from 1 to 100.']);
});

test('a database that cannot be reached is named by its setting', async () => {
  const env = { DATABASE_URL: 'postgresql://user@127.0.0.1:1/x' };
  const { exitCode, stderr } = await execa(process.execPath, [admin, 'storage'], { reject: false, env });
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct its host and port.',
  );
});

test('a role that may not use the database is told what it needs', async () => {
  const server = inject('databaseServer');
  const name = newDatabaseName('test');
  await runOn(server, `create database ${name} template template0`);
  await runOn(server, `create role ${name} login`);
  const url = new URL(databaseUrl(server, name));
  url.username = name;
  const refused = async (): Promise<string> =>
    (await execa(process.execPath, [admin, 'storage'], { reject: false, env: { DATABASE_URL: url.href } })).stderr;
  expect(await refused()).toBe(
    'The database of DATABASE_URL cannot be used: permission denied for schema public. ' +
      'Make the role of the URL the owner of the database.',
  );
  await runOn(server, `alter role ${name} connection limit 0`);
  expect(await refused()).toBe(
    `The database of DATABASE_URL cannot be used: too many connections for role "${name}". ` +
      'Each process needs up to 16 connections, or more on many cores: allow more, or close others.',
  );
  await runOn(server, `drop database ${name}`);
  await runOn(server, `drop role ${name}`);
});

test('a server that is none of PostgreSQL is named by the setting that leads to it', async () => {
  const other = createServer((socket) => socket.on('error', () => undefined).end());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const env = { DATABASE_URL: `postgresql://user@127.0.0.1:${Object(other.address()).port}/x` };
  const { stderr } = await execa(process.execPath, [admin, 'storage'], { reject: false, env });
  expect(stderr).toBe(
    'The database of DATABASE_URL cannot be used: Connection terminated unexpectedly. Start it, or correct its host and port.',
  );
});

test('a data directory of another user is named with the remedy', async (context) => {
  const become = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const found = await execa({ reject: false })`setpriv ${become} test -r ${admin} -a -x ${process.execPath}`;
  if (found.exitCode !== 0) context.skip('needs root, and a checkout that other users can read');
  const data = temporaryDirectory();
  onTestFinished(() => data.remove());
  prepareData(data.path);
  chmodSync(data.path, 0o711);
  const command = [...become, process.execPath, admin, 'storage', '--data', data.path];
  const env = { DATABASE_URL: '', NODE_COMPILE_CACHE: '' };
  const { stderr } = await execa('setpriv', command, { reject: false, env });
  expect(stderr).toBe(
    `This user cannot use the data directory ${data.path} (EACCES: permission denied, open '${data.path}/postgres.lock'). Run the command as the user that runs the server.`,
  );
});

test('a data directory that cannot be written is named with the remedy', async () => {
  const data = temporaryDirectory();
  onTestFinished(() => data.remove());
  prepareData(data.path);
  mkdirSync(`${data.path}/postgres.lock`);
  const command = [admin, 'storage', '--data', data.path];
  const { stderr } = await execa(process.execPath, command, { reject: false, env: { DATABASE_URL: '' } });
  expect(stderr).toBe(
    `Cannot write to the data directory ${data.path} (EISDIR: illegal operation on a directory, open '${data.path}/postgres.lock'). The command runs the database there: make it writable.`,
  );
});

test('doctor leaves the database as it is, and says what the next start applies', async () => {
  const empty = await createEmptyDatabase();
  onTestFinished(() => empty.drop());
  const env = { DATABASE_URL: empty.connectionString };
  const { stdout } = await execa(process.execPath, [admin, 'doctor'], { reject: false, env });
  expect(stdout).toMatch(/^ {2}✓ database +PostgreSQL [^;]+; the next start applies \d+ migrations$/m);
  expect(stdout).toMatch(/^ {2}– maintenance +unknown until the database is up to date$/m);
  const { rows } = await empty.database.pool.query(`select 1 from pg_tables where schemaname = 'public'`);
  expect(rows).toEqual([]);
});

test('output that nobody reads, or that cannot be written, is no crash', async () => {
  const api = await startTestApi();
  onTestFinished(() => api.close());
  const env = { DATABASE_URL: api.connectionString };
  const outputOf = async (to: string) => {
    const command = `(${process.execPath} ${admin} storage; echo "status $?" >&2) ${to}`;
    return (await execa('sh', ['-c', command], { reject: false, env })).stderr;
  };
  expect(await outputOf('| true')).toBe('status 0');
  expect(await outputOf('> /dev/full')).toMatch(/^Cannot write the output: ENOSPC: [^\n]+\nstatus 1$/);
});

test('a password that is typed on a terminal is not shown', async () => {
  const api = await startTestApi();
  onTestFinished(() => api.close());
  const command = `${process.execPath} ${admin} password set --email admin@localhost`;
  const terminal = execa('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    reject: false,
    timeout: 30_000,
    stdin: 'pipe',
    env: { DATABASE_URL: api.connectionString },
  });
  let shown = '';
  terminal.stdout.on('data', (part: Buffer) => {
    const wasAsked = shown.includes('then Enter:');
    shown += part.toString();
    if (!wasAsked && shown.includes('then Enter:')) terminal.stdin.write('kiln-orbit-marrow-7\r');
  });
  const { exitCode, timedOut } = await terminal;
  expect([exitCode, timedOut, shown.replaceAll('\r\n', '\n')]).toEqual([
    0,
    false,
    'Type the new password, which is not shown, then Enter:\nThe password of admin@localhost is set.\n',
  ]);
});
