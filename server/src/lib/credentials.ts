import { validateHeaderName, validateHeaderValue } from 'node:http';

/** A header that carries a credential. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
}

/** Headers that control framing or routing, which cannot carry a credential. */
const framing = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns the header for a credential: a value `<name>: <content>`, e.g. `x-api-key: abc`, names it; any other becomes
 * `Authorization: Bearer <value>`. Undefined when the value is not valid in a header.
 */
export function credentialHeader(value: string): CredentialHeader | undefined {
  const [, name, content] = /^([A-Za-z][A-Za-z0-9-]{0,63}): +(\S.*)$/s.exec(value) ?? [];
  const header =
    name === undefined || content === undefined
      ? { name: 'authorization', value: `Bearer ${value}` }
      : { name: name.toLowerCase(), value: content };
  return framing.has(header.name) || !isHeader(header) ? undefined : header;
}

/** Parses a git credential: `<user>:<password>`, or a token alone, with which git hosts accept any user. */
export function gitCredential(value: string): { username: string; password: string } | undefined {
  if (!/^[\x21-\x7e]+$/.test(value)) return undefined;
  const at = value.indexOf(':');
  return at < 0
    ? { username: 'x-access-token', password: value }
    : { username: value.slice(0, at), password: value.slice(at + 1) };
}

function isHeader({ name, value }: CredentialHeader): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    // Control and non-ASCII characters would not arrive as they were sent.
    return /^[\x20-\x7e]+$/.test(value);
  } catch {
    return false;
  }
}
