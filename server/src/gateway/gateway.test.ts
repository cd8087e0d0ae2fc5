import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratch, openWorld, startPeer } from '../../test/support/gateway.ts';
import { createLog } from '../lib/log.ts';
import { createGateway } from './gateway.ts';

let scratch: Awaited<ReturnType<typeof createScratch>>;

beforeEach(async () => {
  scratch = await createScratch();
});

afterEach(() => scratch.dispose());

function gatewayIn(directory: string) {
  return scratch.closing(
    Promise.resolve(
      createGateway({
        log: createLog('silent'),
        egressAllow: [],
        registries: async () => ({}),
        directory,
      }),
    ),
  );
}

const session = {
  id: 'ses_test',
  holds: () => Promise.resolve(true),
  repositories: [],
  network: 'none',
  allowedHosts: [],
} as const;

describe('sockets', () => {
  test('lie in a closed directory and can be used by another user who is given one', async () => {
    const directory = join(scratch.path, 'doors');
    await mkdir(directory, { mode: 0o755 });
    await writeFile(join(directory, 'left.sock'), '');
    const gateway = await gatewayIn(directory);
    const [one, two] = await Promise.all([gateway.open(session), gateway.open(session), gateway.open(session)]);
    await expect(stat(one.socketPath)).rejects.toThrow('ENOENT');
    expect(await Promise.all([one, two, one].map((door) => door.address()))).toEqual(
      [one, two, one].map(({ socketPath }) => ({ socket: socketPath })),
    );
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(one.socketPath)).mode & 0o666).toBe(0o666);
    expect((await readdir(directory)).map((name) => join(directory, name)).sort()).toEqual(
      [one.socketPath, two.socketPath].sort(),
    );
    await one.close();
    await one.close();
    await expect(one.address()).rejects.toThrow('The gateway closed this endpoint.');
    expect(await readdir(directory)).toHaveLength(1);
    await gateway.close();
    await expect(stat(directory)).rejects.toThrow('ENOENT');
  });

  test('those that a killed worker left go when the next one stops, also when it opened none', async () => {
    const directory = join(scratch.path, 'doors');
    await mkdir(directory);
    await writeFile(join(directory, 'left.sock'), '');
    await (await gatewayIn(directory)).close();
    await expect(stat(directory)).rejects.toThrow('ENOENT');
  });

  test('an endpoint that could not listen says so, and listens when it can', async () => {
    const directory = join(scratch.path, 'doors');
    await writeFile(directory, '');
    const door = await (await gatewayIn(directory)).open(session);
    await expect(door.address()).rejects.toThrow('The gateway cannot listen: EEXIST');
    await rm(directory);
    expect(await door.address()).toEqual({ socket: door.socketPath });
  });

  test('a directory whose sockets could not be named whole is refused', async () => {
    const directory = join(scratch.path, 'x'.repeat(90));
    const gateway = await gatewayIn(directory);
    await expect(gateway.open(session)).rejects.toThrow('too long for a unix socket');
  });
});

describe('over a network', () => {
  async function opened() {
    const reach = { by: 'network', host: '127.0.0.1' } as const;
    const options = { log: createLog('silent'), egressAllow: [], registries: async () => ({}), reach };
    const gateway = await scratch.closing(
      Promise.resolve(createGateway({ ...options, directory: join(scratch.path, 'doors') })),
    );
    const open = async (id: string) => {
      const door = await gateway.open({ ...session, id, api: { url: peer.url, authorization: async () => id } });
      const address = await door.address();
      if (!('token' in address)) throw new Error('it has no token');
      return { door, ...address };
    };
    const peer = await scratch.closing(startPeer((request, response) => response.end(request.headers.authorization)));
    return { open, peer };
  }

  /** Returns the response to a connection that begins with these bytes; `''` if it is closed without one. */
  async function answered(port: number, ...pieces: string[]): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1' });
    for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  }

  const ask = 'GET /api/v3/organizations/org_1/sessions HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n';

  test('a connection leads to the door whose token it begins with, in whatever pieces it comes', async () => {
    const { open, peer } = await opened();
    const [one, two] = [await open('ses_one'), await open('ses_two')];
    expect(one.port).toBe(two.port);
    expect(await answered(one.port, `${one.token}\n${ask}`)).toContain('ses_one');
    const [first, last] = [two.token.slice(0, 7), two.token.slice(7)];
    expect(await answered(two.port, first, last, '\n', ask.slice(0, 9), ask.slice(9))).toContain('ses_two');
    expect(peer.requests).toHaveLength(2);
  });

  test('a connection without the token of an open door gets nothing', async () => {
    const { open, peer } = await opened();
    const { door, port, token } = await open('ses_one');
    const wrong = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    expect(await answered(port, ask)).toBe('');
    expect(await answered(port, `${wrong}\n${ask}`)).toBe('');
    expect(await answered(port, `${token} ${ask}`)).toBe('');
    expect(await answered(port, `${token}\n${ask}`)).toContain('ses_one');
    await door.close();
    expect(await answered(port, `${token}\n${ask}`)).toBe('');
    expect(peer.requests).toHaveLength(1);
  });

  test('connections of a door end with it, and strangers that say nothing do not keep anybody out', async () => {
    const { open } = await opened();
    const { door, port, token } = await open('ses_one');
    const strangers = Array.from({ length: 200 }, () => connect({ port, host: '127.0.0.1' }));
    for (const stranger of strangers) stranger.on('error', () => undefined);
    await Promise.all(strangers.slice(0, 50).map((stranger) => once(stranger, 'close')));
    expect(await answered(port, `${token}\n${ask}`)).toContain('ses_one');
    const kept = connect({ port, host: '127.0.0.1' });
    kept.write(`${token}\n${ask.replace('Connection: close\r\n', '')}`);
    await once(kept, 'data');
    const ended = once(kept, 'close');
    await door.close();
    await ended;
    for (const stranger of strangers) stranger.destroy();
  });
});

describe('TLS', () => {
  test('a registry is known by its own certificate and name, not by its address', async () => {
    const key = join(scratch.path, 'key.pem');
    const certificate = join(scratch.path, 'certificate.pem');
    const subject = '-subj /CN=registry.example -addext subjectAltName=DNS:registry.example';
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 ${subject}`;
    await execa('openssl', [...options.split(' '), '-keyout', key, '-out', certificate]);
    const names: unknown[] = [];
    const server = createServer({ key: await readFile(key), cert: await readFile(certificate) }, (_request, response) =>
      response.end('{}'),
    );
    server.on('secureConnection', (socket) => names.push(socket.servername));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ca = [await readFile(certificate, 'utf8')];
    const ask = async (host: string, trusted: readonly string[] | undefined): Promise<number> => {
      const main = { url: new URL(`https://${host}:${port}`), ...(trusted === undefined ? {} : { ca: trusted }) };
      const world = await openWorld(
        {
          directory: join(scratch.path, 'doors'),
          registries: async () => ({ npm: { main, scopes: new Map(), isDefault: false } }),
          lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
        },
        { network: 'registries' },
      );
      const { status } = await fetch(`${world.inside}/npm/x`);
      await world.close();
      return status;
    };
    expect(await ask('registry.example', ca)).toBe(200);
    expect(await ask('registry.example', undefined)).toBe(502);
    expect(await ask('other.example', ca)).toBe(502);
    expect(names[0]).toBe('registry.example');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
