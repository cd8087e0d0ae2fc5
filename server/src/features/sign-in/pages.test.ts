import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn } from '../../../test/support/browser.ts';
import { join } from '../../../test/support/members.ts';
import { setOperatorPassword } from '../auth/password-service.ts';

const password = 'a long enough secret';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    GUILDHALL_OIDC_ISSUER: 'http://127.0.0.1:9',
    GUILDHALL_OIDC_CLIENT_ID: 'x',
    GUILDHALL_OIDC_NAME: '<b>Example & Co</b>',
  });
});
afterAll(() => api.close());

async function invite(email: string): Promise<string> {
  const { text } = await api.call('POST', '/v3/organizations/default/members/invites', { body: { emails: [email] } });
  return /\/invites\/[\w-]{43}/.exec(text)?.[0] ?? '';
}

describe('every page', () => {
  test('needs nothing but itself, and lets nothing else in', async () => {
    for (const path of ['/sign-in', await invite('csp@example.com'), '/invites/none']) {
      const { headers, text } = await api.call('GET', path, { key: '' });
      const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '';
      expect(nonce).toHaveLength(24);
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      );
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
      expect(text).not.toMatch(/https?:\/\/|<img|<link|<iframe|style="|onclick/);
      for (const [, attributes] of text.matchAll(/<(?:script|style)([^>]*)>/g))
        expect(attributes).toBe(` nonce="${nonce}"`);
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect((await api.call('GET', path, { key: '' })).headers.get('content-security-policy')).not.toContain(nonce);
    }
  });
});

describe('the sign-in page', () => {
  test('offers the identity provider by its name', async () => {
    const { status, text } = await api.call('GET', '/sign-in', { key: '' });
    expect(status).toBe(200);
    expect(text).toContain('>Sign in with &#60;b&#62;Example &#38; Co&#60;/b&#62;</a>');
    expect(text).toContain('autocomplete="current-password"');
  });

  test('is where a failed login at the provider leads a person, and a program gets JSON', async () => {
    const path = '/v3/auth/sso/oidc/callback?state=x';
    const page = await api.call('GET', path, { key: '', headers: { accept: 'text/html,*/*' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(page.text).toContain('href="/sign-in"');
    const plain = await api.call('GET', path, { key: '' });
    expect([plain.status, plain.json['error']]).toEqual([400, 'invalid_request']);
    const down = await api.call('GET', '/v3/auth/sso/oidc/start', { key: '', headers: { accept: 'text/html' } });
    expect([down.status, down.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
  });
});

describe('the page of an invitation', () => {
  test('asks somebody new for a name and a password, and says who is invited to what', async () => {
    await api.call('PATCH', '/v3/organizations/default', { body: { name: '<script>alert(1)</script>' } });
    const { status, text } = await api.call('GET', await invite("o'hara@example.com"), { key: '' });
    expect(status).toBe(200);
    expect(text).toContain('<h1>Join &#60;script&#62;alert(1)&#60;/script&#62;</h1>');
    expect(text).toContain('<strong>o&#39;hara@example.com</strong>');
    expect(text).toContain('name="name"');
    expect(text).toContain('autocomplete="new-password"');
  });

  test('offers somebody who is here to sign in first, and then one click', async () => {
    const elsewhere = await api.createOrganization('Elsewhere');
    await join(api, elsewhere.id, 'member', 'here@example.com');
    const path = await invite('here@example.com');
    await setOperatorPassword(api.ctx, 'here@example.com', password);
    expect((await api.call('GET', path, { key: '' })).text).toContain(
      '<a id="first" href="/sign-in">Sign in first</a>',
    );
    const browser = await signedIn(api, 'here@example.com', password);
    const { text } = await browser.call('GET', path);
    expect(text).toContain('one click is enough');
    expect(text).not.toContain('name="password"');
    expect((await openBrowser(api).call('GET', path)).text).not.toContain('one click');
  });

  test('says when it is over', async () => {
    const { status, text } = await api.call('GET', '/invites/none', { key: '' });
    expect(status).toBe(404);
    expect(text).toContain('This invitation is no longer valid');
  });
});
