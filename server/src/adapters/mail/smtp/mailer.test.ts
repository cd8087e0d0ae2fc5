import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { createSmtpMailer } from './mailer.ts';

const password = 'a password/of the mail server';
let server: Server;
let port = 0;

/** Starts a mail server that rejects every login, and repeats all it received. */
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 here\r\n');
    socket.on('data', (line) => {
      const [verb = '', , told = ''] = line.toString().trim().split(' ');
      const said = Buffer.from(told, 'base64').toString().replaceAll('\0', ' ');
      socket.write(verb === 'EHLO' ? '250-here\r\n250 AUTH PLAIN\r\n' : `535 not with ${told}, which is ${said}\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  server.close();
});

test('what a mail server repeats of the login is not in the failure', async () => {
  const url = `smtp://mailer:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const mail = { id: 'one', to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
  const failure: unknown = await createSmtpMailer({ url: () => url, from: 'guildhall@example.com' })
    .send(mail, new AbortController().signal)
    .catch((error: unknown) => error);
  if (!(failure instanceof ProviderError)) throw new Error('The mail was sent.');
  expect(failure.message).toContain('535 not with ********, which is  mailer ********');
  expect(failure.retryable).toBe(true);
  const told = Buffer.from(`\0mailer\0${password}`).toString('base64');
  for (let error: unknown = failure; error instanceof Error; error = error.cause)
    for (const text of [password, told]) expect(`${error.stack}`).not.toContain(text);
});
