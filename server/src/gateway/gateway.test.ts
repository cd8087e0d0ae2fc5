import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratch, openWorld } from '../../test/support/gateway.ts';
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
    const [one, two] = await Promise.all([gateway.open(session), gateway.open(session)]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(one.socketPath)).mode & 0o666).toBe(0o666);
    expect((await readdir(directory)).map((name) => join(directory, name)).sort()).toEqual(
      [one.socketPath, two.socketPath].sort(),
    );
    await one.close();
    await one.close();
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

  test('a directory whose sockets could not be named whole is refused', async () => {
    const directory = join(scratch.path, 'x'.repeat(90));
    const gateway = await gatewayIn(directory);
    await expect(gateway.open(session)).rejects.toThrow('too long for a unix socket');
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
