import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { createMask } from '../../../lib/mask/mask.ts';
import type { Mailer } from '../port.ts';

const timeoutMs = 20_000;

/**
 * Hands mail to an SMTP server (RFC 5321), with TLS where the server offers it or the URL asks for it. A user and password are
 * told to another machine over TLS alone: who stands between could hide the offer.
 */
export function createSmtpMailer(options: { url: () => string; from: string }): Mailer {
  return {
    async send(mail, signal) {
      signal.throwIfAborted();
      const { createTransport } = await import('nodemailer');
      const { id, ...message } = mail;
      const url = options.url();
      const transport = createTransport({
        url,
        requireTLS: needsTls(url),
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        // A mail names no file and no URL: its parts are what we wrote.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const close = (): void => transport.close();
      signal.addEventListener('abort', close, { once: true });
      try {
        const domain = options.from.slice(options.from.lastIndexOf('@') + 1).split('>', 1)[0] ?? '';
        await transport.sendMail({ ...message, from: options.from, messageId: `<${id}@${domain}>` });
      } catch (error) {
        throw failure(error, url);
      } finally {
        signal.removeEventListener('abort', close);
        transport.close();
      }
    },
  };
}

function needsTls(url: string): boolean {
  const { protocol, username, hostname } = new URL(url);
  return protocol === 'smtp:' && username !== '' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * A 5xx answer to the mail itself is for good; that of a login may be a setting the operator is about to mend. What a server
 * says may repeat what it was told: it is shown without the login, and no more of the error is kept.
 */
function failure(error: unknown, url: string): ProviderError {
  const code = typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : undefined;
  const command = typeof error === 'object' && error !== null && 'command' in error ? String(error.command) : '';
  const isForGood =
    typeof code === 'number' && code >= 500 && code < 600 && !command.startsWith('AUTH') && command !== 'CONN';
  const message = createMask(loginsOf(url)).text(messageOf(error));
  return new ProviderError(`The mail server: ${message}`, { retryable: !isForGood });
}

/** The password of a URL as it is, and as PLAIN and LOGIN tell it (RFC 4616). */
function loginsOf(url: string): string[] {
  const { username, password } = new URL(url);
  if (password === '') return [];
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return [secret, ...[`\0${user}\0${secret}`, secret].map((text) => Buffer.from(text).toString('base64'))];
}
