import type { Answer, CallOptions, TestApi } from './api.ts';

/** A user's browser: keeps cookies, sends no key, and by default acts as one of our pages. */
export interface Browser {
  /** Its cookies, by name. */
  cookies: Map<string, string>;
  call(method: string, path: string, options?: CallOptions & { to?: TestApi }): Promise<Answer>;
}

export function openBrowser(api: TestApi): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async call(method, path, { to = api, headers = {}, ...options } = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await to.call(method, path, {
        key: '',
        ...options,
        headers: { 'x-guildhall-csrf': '1', ...(cookie === '' ? {} : { cookie }), ...headers },
      });
      for (const line of answer.headers.getSetCookie()) keep(cookies, line);
      return answer;
    },
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const expires = attributes.find((attribute) => /^expires=/i.test(attribute))?.slice(8);
  if (value === '' || (expires !== undefined && Date.parse(expires) <= Date.now())) cookies.delete(name);
  else cookies.set(name, value);
}

/** Signs a user in by e-mail and password, in a new browser. */
export async function signedIn(api: TestApi, email: string, password: string): Promise<Browser> {
  const browser = openBrowser(api);
  const answer = await browser.call('POST', '/v3/auth/sign-in', { body: { email, password } });
  if (answer.status !== 200) throw new Error(answer.text);
  return browser;
}
