import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The received headers and parts. */
  raw: string;
}

/** A real SMTP server on loopback that stores its mails. */
export interface Mailbox {
  url: string;
  received: ReceivedMail[];
  /** Waits for this number of mails. */
  reaches(count: number): Promise<ReceivedMail[]>;
  /** Rejects every recipient with this status from now on; 0 accepts them. */
  refuse(status: number): void;
  close(): Promise<void>;
}

const patienceMs = 90_000;

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = portOf(address);
  server.close();
  await once(server, 'close');
  return port;
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

export async function openMailbox(port = 0, login?: { user: string; pass: string }): Promise<Mailbox> {
  const received: ReceivedMail[] = [];
  let refusal = 0;
  let wake: () => void = () => undefined;
  const server = new SMTPServer({
    authOptional: login === undefined,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(auth, _session, callback) {
      if (auth.username === login?.user && auth.password === login?.pass) callback(null, { user: auth.username });
      else callback(new Error('Wrong user or password'));
    },
    onRcptTo(_address, _session, callback) {
      if (refusal === 0) callback();
      else callback(Object.assign(new Error('Not here'), { responseCode: refusal }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString('utf8') });
        wake();
        callback();
      });
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const credentials = login === undefined ? '' : `${login.user}:${login.pass}@`;
  return {
    url: `smtp://${credentials}127.0.0.1:${portOf(server.server.address())}`,
    received,
    refuse: (status) => {
      refusal = status;
    },
    async reaches(count) {
      const { promise, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`${received.length} of ${count} mails came`)), patienceMs);
      try {
        while (received.length < count) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), promise]);
        return received;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns a part of a mail, decoded. */
export function partOf(mail: ReceivedMail, type: 'text/plain' | 'text/html'): string {
  const part = mail.raw.split(/\r\n--[^\r\n]+/).find((text) => text.includes(`Content-Type: ${type}`)) ?? '';
  const [head = '', ...body] = part.split('\r\n\r\n');
  const text = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return text.replaceAll('\r\n', '\n');
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
