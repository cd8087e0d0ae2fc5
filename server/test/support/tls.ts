import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { execa } from 'execa';

/** A certificate authority that this process trusts until it is closed, with a certificate for `*.example.test`. */
export interface TestAuthority {
  /** Starts an HTTPS server on loopback; returns its port. */
  serve(listener: RequestListener): Promise<{ port: number; close(): Promise<void> }>;
  /** Adds TLS in front of a plain port. */
  secure(plainPort: number): Promise<{ port: number; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function createTestAuthority(): Promise<TestAuthority> {
  const directory = await mkdtemp(join(tmpdir(), 'authority-'));
  const at = (name: string): string => join(directory, name);
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' ');
  const authority = ['-subj', '/CN=Test authority', '-keyout', at('ca.key'), '-out', at('ca.pem')];
  await execa('openssl', [...request, ...authority]);
  const names = ['-subj', '/CN=example.test', '-addext', 'subjectAltName=DNS:example.test,DNS:*.example.test'];
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-keyout', at('host.key'), '-out', at('host.pem')];
  await execa('openssl', [...request, ...names, ...signed]);
  const tls = { key: await readFile(at('host.key'), 'utf8'), cert: await readFile(at('host.pem'), 'utf8') };
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, await readFile(at('ca.pem'), 'utf8')]);
  return {
    serve: (listener) => listening(createServer(tls, listener)),
    secure: (plainPort) =>
      listening(
        createTlsServer(tls, (inside) => {
          const outside = connect(plainPort, '127.0.0.1');
          inside.on('error', () => outside.destroy());
          outside.on('error', () => inside.destroy());
          inside.pipe(outside).pipe(inside);
        }),
      ),
    async close() {
      setDefaultCACertificates(trusted);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function listening(
  server: Server | ReturnType<typeof createTlsServer>,
): Promise<{ port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    async close() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
