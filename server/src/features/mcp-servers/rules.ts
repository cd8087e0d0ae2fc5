import { validateHeaderName, validateHeaderValue } from 'node:http';
import { messageOf } from '../../lib/errors.ts';
import { fieldError, type FieldError } from '../../lib/field-error.ts';
import { isReserved } from '../secrets/rules.ts';
import { literalPart, namesIn } from './placeholders.ts';
import { pointerStep } from '../../lib/json-pointer.ts';

/** The parts of a server's connection that the rules check. */
export interface Connection {
  readonly url: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that the gateway sets: those that frame a message or address the next hop (RFC 9110), and those of the MCP client. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const credentialWord =
  /^(?:authorization|cookies?|\w*(?:tokens?|secrets?|passwords?|passwd|passphrase|credentials?)|(?:access|account|api|app|auth|client|deploy|encryption|license|master|private|secret|service|session|signing|ssh)?keys?)$/;
/** Beside a placeholder, a value may have a scheme, a prefix or the name of a cookie, but not a literal credential. */
const longLiteral = /[^\s=:;,"']{17,}/;

/** Throws 400 for an invalid connection, and for one with a literal credential. */
export function refuseConnection(connection: Connection): void {
  const { url, command, args, env, headers } = connection;
  if (url === '' && command === '') throw fieldError('/url', (name) => `or ${name('/command')} is required.`);
  if (url !== '') {
    if (args.length > 0) throw fieldError('/args', 'must be omitted for a server with a URL.');
    if (Object.keys(env).length > 0) throw fieldError('/env', 'must be omitted for a server with a URL. Use headers.');
  } else if (Object.keys(headers).length > 0)
    throw fieldError('/headers', 'must be omitted for a server with a command. Use env.');
  refuseParts(connection);
}

/** Throws 400 for values that are invalid in any connection. */
export function refuseParts({ url, command, args, env, headers }: Connection): void {
  if (url !== '' && command !== '')
    throw fieldError('/url', (name) => `and ${name('/command')} exclude each other: set one of them to "".`);
  if (url !== '') refuseUrl(url);
  if (command.trim() !== command) throw fieldError('/command', 'must not start or end with white space.');
  if (/[\r\n]/.test(command)) throw fieldError('/command', 'must be a single line.');
  refuseHeaders(headers);
  refuseEnv(env);
  refuseArgs(args);
}

function refuseUrl(text: string): void {
  const url = URL.parse(text);
  const says = (problem: string): FieldError => fieldError('/url', `${problem}.`);
  if (url === null) throw says('must be an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw says('must be http or https');
  if (url.username !== '' || url.password !== '')
    throw says('must not contain credentials. Put them in headers as ${NAME}');
  if (namesIn(text).length > 0) throw says('must not contain ${NAME}. Use headers');
  if (text.includes('#')) throw says('must not have a fragment');
  for (const [name, value] of url.searchParams)
    if (value !== '' && isCredentialName(name))
      throw says(`must not contain credentials, such as in its parameter ${JSON.stringify(name)}. Use headers`);
}

function refuseHeaders(headers: Readonly<Record<string, string>>): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const path = `/headers${pointerStep(name)}`;
    const says = (problem: string): FieldError => fieldError(path, `${problem}.`);
    const lower = name.toLowerCase();
    if (!holds(() => validateHeaderName(name))) throw says('must be a valid header name (RFC 9110)');
    if (ownHeaders.has(lower) || lower.startsWith('proxy-') || lower.startsWith('x-guildhall-'))
      throw says('is set by the gateway and cannot be changed');
    if (seen.has(lower)) throw says('is repeated: header names are case-insensitive');
    seen.add(lower);
    if (!/^[\t\x20-\x7e]*$/.test(value) || value.trim() !== value || !holds(() => validateHeaderValue(name, value)))
      throw says('must have a value of one line of printable ASCII, without white space around it');
    refuseLiteral(name, value, path);
  }
}

function refuseEnv(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    const path = `/env${pointerStep(name)}`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw fieldError(path, 'must be a valid variable name.');
    if (isReserved(name)) throw fieldError(path, 'is reserved by the sandbox or its programs. Choose another name.');
    refuseLiteral(name, value, path);
  }
}

/** Rejects credentials in arguments: `--token x`, `--token=x`, `TOKEN=x` (of `env`) and `Authorization: x` (of a header). */
function refuseArgs(args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    const path = `/args/${at}`;
    const [, name = '', value = ''] = /^-{0,2}([A-Za-z][\w.-]*)[=:]([\s\S]*)$/.exec(arg) ?? [];
    const [, option = ''] = /^--?([A-Za-z][\w.-]*)$/.exec(args[at - 1] ?? '') ?? [];
    const isNamed = isCredentialName(name === '' ? option : name);
    const literal = name !== '' ? value : arg.startsWith('-') ? '' : arg;
    if (isNamed && literal !== '' && !isPlaceholder(literal))
      throw fieldError(path, 'looks like a credential, by its name. Pass it in env as ${NAME}.');
  }
}

function refuseLiteral(name: string, value: string, path: string): void {
  if (!isCredentialName(name) || value === '') return;
  if (isPlaceholder(value)) return;
  throw fieldError(
    path,
    'has the name of a credential, so its value must not be literal. Use ${NAME} and set the secret NAME.',
  );
}

/** Tells if a value consists of placeholders and little else. */
function isPlaceholder(value: string): boolean {
  return namesIn(value).length > 0 && !longLiteral.test(literalPart(value));
}

/** Checks each word of a name: `x-api-key`, `GITHUB_TOKEN`, `apiKey`. */
function isCredentialName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => credentialWord.test(word));
}

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    return messageOf(error) === '';
  }
}
