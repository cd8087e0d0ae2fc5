import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { createMask } from '../../../lib/mask/mask.ts';
import type { Mailer } from '../port.ts';

const timeoutMs = 20_000;

/**
 * Sends mail through an SMTP server (RFC 5321), with TLS if the server offers it or the URL requires it. Credentials go to
 * another machine only over TLS, because an attacker in between could hide the server's offer.
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
        // A mail consists only of the given text and HTML.
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
 * A 5xx response to the mail itself is permanent; one to the login may be a setting that the operator can fix. The server's
 * message may repeat the login, so it is masked, and the rest of the error is dropped.
 */
function failure(error: unknown, url: string): ProviderError {
  const code = typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : undefined;
  const command = typeof error === 'object' && error !== null && 'command' in error ? String(error.command) : '';
  const isForGood =
    typeof code === 'number' && code >= 500 && code < 600 && !command.startsWith('AUTH') && command !== 'CONN';
  const message = createMask(loginSecrets(url)).text(messageOf(error));
  return new ProviderError(`The mail could not be sent: ${message}`, { retryable: !isForGood });
}

/** The URL's password in plain, and as encoded by PLAIN and LOGIN (RFC 4616). */
function loginSecrets(url: string): string[] {
  const { username, password } = new URL(url);
  if (password === '') return [];
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return [secret, ...[`\0${user}\0${secret}`, secret].map((text) => Buffer.from(text).toString('base64'))];
}
