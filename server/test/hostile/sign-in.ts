import { generateKeyPairSync, sign } from 'node:crypto';
import { createOidcClient } from '../../src/features/auth/oidc.ts';
import { startPeer, type Peer } from '../support/gateway.ts';
import { repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

/** A provider's response has at most half a MiB, and a token is in base64. */
const [answerSize, claimsSize] = [520_000, 385_000];

/** A provider's claims and keys; each is a part of JSON text. */
interface Words {
  /** Additional fields of the ID token. */
  claims?: string;
  /** Additional fields of the token response. */
  answer?: string;
  keys?: string;
  person?: string;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256', use: 'sig' };
const names = (size: number): string =>
  Array.from({ length: size / 13 }, (_, at) => `,"${at.toString(36)}":0`).join('');
const objects = (size: number): string => `,"x":[${repeated('{},', size - 20).slice(0, -3)}{}]`;
const many = (size: number, item: string): string =>
  `[${repeated(`${item},`, size - (size % (item.length + 1))).slice(0, -1)}]`;

const words: Readonly<Record<string, Words>> = {
  'a token of groups': { claims: `,"groups":${many(claimsSize, '"a"')}` },
  'a token of objects without a field': { claims: objects(claimsSize) },
  'a token of names that are all different': { claims: names(claimsSize) },
  'a token of lists in one another': { claims: `,"x":${'['.repeat(90_000)}${']'.repeat(90_000)}` },
  'an answer of objects without a field': { answer: objects(answerSize) },
  'thousands of keys': { keys: many(answerSize, JSON.stringify({ kty: 'EC', kid: 'a', alg: 'ES256', use: 'sig' })) },
  'keys of objects without a field': { keys: many(answerSize, '{}') },
  'a person of groups': { person: `,"groups":${many(answerSize, '"a"')}` },
  'a person of names that are all different': { person: names(answerSize) },
};

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Opens sign-ins with hostile responses of an identity provider. */
export async function openSignIns(): Promise<{ cases: HostileCase[]; close(): Promise<void> }> {
  let said: Words = {};
  let nonce = '';
  const peer: Peer = await startPeer((request, response) => {
    const issuer = peer.url;
    const answers: Record<string, () => string> = {
      '/.well-known/openid-configuration': () =>
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/person`,
          id_token_signing_alg_values_supported: ['ES256'],
          code_challenge_methods_supported: ['S256'],
        }),
      '/keys': () => `{"keys":${said.keys ?? JSON.stringify([jwk])}}`,
      '/token': () => `{"access_token":"a","token_type":"bearer","id_token":"${tokenOf(issuer)}"${said.answer ?? ''}}`,
      '/person': () => `{"sub":"ada","email":"ada@example.org"${said.person ?? ''}}`,
    };
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers[request.url ?? '']?.() ?? '{}');
  });
  function tokenOf(issuer: string): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = `{"iss":"${issuer}","sub":"ada","aud":"guildhall","iat":${now},"exp":${now + 600},"nonce":"${nonce}"${said.claims ?? ''}}`;
    const signed = `${base64url('{"alg":"ES256","kid":"a"}')}.${base64url(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }
  async function signIn(spoken: Words): Promise<void> {
    said = spoken;
    const config = {
      issuer: peer.url,
      clientId: 'guildhall',
      clientSecret: () => 'x',
      name: 'x',
      scopes: 'openid',
      groupsClaim: 'groups',
      groups: [],
    };
    const client = createOidcClient(config, () => Date.now());
    const redirect = 'http://127.0.0.1/callback';
    const { checks } = await client.begin(redirect);
    ({ nonce } = checks);
    await client.finish(new URL(`${redirect}?code=a&state=${checks.state}`), checks);
  }
  // The first sign-in loads the library.
  await signIn({});
  const plain = { answer: `,"x":"${repeated('word ', answerSize - 1_000)}"` };
  const cases = Object.entries(words).map(([input, spoken]): HostileCase => ({
    path: 'a sign-in by an identity provider',
    input: `half a MiB: ${input}`,
    harmless: () => signIn(plain),
    hostile: () => signIn(spoken).catch(() => undefined),
  }));
  return { cases, close: () => peer.close() };
}
