import { validateHeaderName, validateHeaderValue } from 'node:http';

/** A header that carries a credential. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
}

/** Headers that frame a message or lead it: as a credential they would be something else. */
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
 * The header that a credential goes into: a value `<name>: <content>`, as `x-api-key: abc`, says which; any other goes as
 * `Authorization: Bearer <value>`. Undefined when it cannot stand in a header.
 */
export function credentialHeader(value: string): CredentialHeader | undefined {
  const [, name, content] = /^([A-Za-z][A-Za-z0-9-]{0,63}): +(\S.*)$/s.exec(value) ?? [];
  const header =
    name === undefined || content === undefined
      ? { name: 'authorization', value: `Bearer ${value}` }
      : { name: name.toLowerCase(), value: content };
  return framing.has(header.name) || !isHeader(header) ? undefined : header;
}

/** The pair in a git credential: `<user>:<password>`, or a token alone, with which git hosts take any user. */
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
    // Control characters and what lies beyond ASCII arrive at no server as they were sent.
    return /^[\x20-\x7e]+$/.test(value);
  } catch {
    return false;
  }
}
