import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOperatorPassword } from '../src/features/auth/password-service.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { chromiumPath, needsBrowser } from './support/chromium.ts';
import { join as joinOrganization } from './support/members.ts';

const root = join(import.meta.dirname, '../..');
const password = 'a long enough secret';
const email = 'ada@example.com';
const timeoutMs = 400_000;
const run = (program: string, args: string[], cwd: string) =>
  promisify(execFile)(program, args, { cwd, timeout: timeoutMs });

/** A user's program: with a key, with a cookie, and with the types of both. */
const program = `
import { ApiError, createClient, pages, unwrap, type Client, type SessionEvent } from '@guildhall/client';
declare const process: { argv: string[] };
const [, , baseUrl = '', key = '', email = '', password = ''] = process.argv;
const sessions = '/v3/organizations/{orgId}/sessions';

export async function tell(guildhall: Client): Promise<string> {
  const { id } = await unwrap(guildhall.POST(sessions, { body: { prompt: 'Fix the build', title: 'Build' } }));
  const titles: string[] = [];
  for await (const session of pages((after) => guildhall.GET(sessions, { params: { query: { first: 1, after } } })))
    titles.push(session.title);
  await unwrap(guildhall.POST(\`\${sessions}/{id}/cancel\`, { params: { path: { id } } }));
  const kinds: SessionEvent['kind'][] = [];
  for await (const event of guildhall.followSession(id)) kinds.push(event.kind);
  // @ts-expect-error There is no such path.
  const lost = await guildhall.GET('/v3/nowhere').catch((error: unknown) => error);
  const refused = await unwrap(guildhall.GET(\`\${sessions}/{id}\`, { params: { path: { id: 'ses_none' } } })).catch((error: unknown) => error);
  const code = refused instanceof ApiError ? refused.code : String(refused);
  return JSON.stringify([titles.includes('Build'), new Set(kinds).size > 0 && kinds.length > 1, code, typeof lost]);
}

if (key !== '') {
  console.log(await tell(createClient({ baseUrl, key })));
  let cookie = '';
  const guildhall = createClient({
    baseUrl,
    cookie: true,
    organization: 'default',
    fetch: async (request) => {
      if (cookie !== '') request.headers.set('cookie', cookie);
      const response = await fetch(request);
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
      return response;
    },
  });
  const person = await unwrap(guildhall.POST('/v3/auth/sign-in', { body: { email, password } }));
  console.log(person.email, await tell(guildhall));
}
`;
const told = '[true,true,"session_not_found","object"]';

/** Other Node versions than the project's own, on npm. */
const versions: Record<number, string> = { 20: '20.20.2', 22: '22.23.3' };

/** Returns a Node of that version: the machine's own, or one from npm, downloaded once. Throws if there is none. */
async function nodeOf(major: number): Promise<string> {
  const machines = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path));
  for (const path of machines)
    if ((await run(path, ['--version'], project)).stdout.startsWith(`v${major}.`)) return path;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules/.cache', `node-${major}`);
  const path = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${versions[major]}`];
  await run('npm', args, folder);
  return path;
}

let api: TestApi;
/** An empty project with the package installed. */
let project: string;
let contents: string[];
beforeAll(async () => {
  api = await startTestApi();
  const orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  await joinOrganization(api, orgId, 'member', email);
  await setOperatorPassword(api.ctx, email, password);
  project = await mkdtemp(join(tmpdir(), 'guildhall-consumer-'));
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
  await writeFile(join(project, 'program.ts'), program);
  const tarball = (await run('npm', ['run', '--silent', 'client', '--', project], root)).stdout.trim();
  contents = (await run('tar', ['-tzf', tarball], project)).stdout.trim().split('\n');
  // Its dependencies are already here, in the same versions.
  const dependencies = ['openapi-fetch', 'eventsource-parser', 'openapi-typescript-helpers'];
  const folders = dependencies.map((name) => join(root, 'node_modules', name));
  await run(
    'npm',
    ['install', '--offline', '--install-links', '--no-audit', '--no-fund', tarball, ...folders],
    project,
  );
  await compile({ module: 'nodenext' });
}, timeoutMs);
afterAll(async () => {
  await api.close();
  await rm(project, { recursive: true, force: true });
});

/** Returns the examples of the README and of the doc comments, each in a function of its own. */
async function examples(): Promise<string> {
  const readme = await readFile(join(root, 'client/README.md'), 'utf8');
  const source = (await readFile(join(root, 'client/src/index.ts'), 'utf8')).replaceAll(/^ \* ?/gm, '');
  const blocks = [...`${readme}\n${source}`.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(5);
  const functions = blocks.map((code, index) => {
    const body = code.replaceAll(/^import .*$/gm, '');
    return `export async function example${index}() {\n${body}}\n`;
  });
  const head = `import { createClient, pages, unwrap, type Client } from '@guildhall/client';
declare const guildhall: Client;
declare const session: { id: string };
declare const key: string;
`;
  return head + functions.join('');
}

/** Compiles the program under strict rules, including the package's declarations. */
async function compile(more: object): Promise<void> {
  const lib = ['es2022', 'dom', 'dom.iterable'];
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib,
    types: [],
    skipLibCheck: false,
    outDir: 'out',
    ...more,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', '.'], project);
}

test('the package has the compiled modules with their types, and nothing else', () => {
  const others = contents.filter((path) => !/^package\/dist\/[a-z.-]+(?<!\.test)\.(?:d\.ts|js)$/.test(path));
  expect(others.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'package/LICENSE',
    'package/README.md',
    'package/package.json',
  ]);
});

test('a bundled page and all examples compile against it as well', { timeout: timeoutMs }, async () => {
  await writeFile(join(project, 'examples.ts'), await examples());
  await compile({ module: 'esnext', moduleResolution: 'bundler', exactOptionalPropertyTypes: true, noEmit: true });
});

describe('with a key and with a cookie it works', () => {
  const works = async (node: string, major: number): Promise<void> => {
    expect((await run(node, ['--version'], project)).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const { stdout } = await run(node, ['out/program.js', api.url, api.adminKey, email, password], project);
    expect(stdout.trim().split('\n')).toEqual([told, `${email} ${told}`]);
  };

  test('on Node 24', { timeout: timeoutMs }, () => works(process.execPath, 24));

  test.for(Object.keys(versions).map(Number))(
    'on Node %i (optional: where this machine has it, or npm can bring it)',
    { timeout: timeoutMs },
    async (major, context) => {
      const node = await nodeOf(major).catch((error: unknown) => context.skip(String(error)));
      await works(node, major);
    },
  );
});

describe('in a browser', () => {
  needsBrowser();

  test(
    'a page of the installation signs in and uses it by cookie, without a bundler',
    { timeout: timeoutMs },
    async () => {
      const browser = await chromium.launch({
        executablePath: chromiumPath,
        env: { PATH: process.env['PATH'] ?? '' },
        args: ['--no-sandbox'],
      });
      try {
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.route('**/page/**', async (route) => {
          const path = new URL(route.request().url()).pathname.replace('/page/', '');
          const contentType = path.endsWith('.html') ? 'text/html' : 'text/javascript';
          await route.fulfill({
            contentType,
            body: path === 'index.html' ? html : await readFile(join(project, path)),
          });
        });
        await page.goto(`${api.url}/page/index.html`);
        const text = page.locator('output');
        await page.waitForFunction("document.querySelector('output').textContent !== ''");
        expect([await text.textContent(), complaints]).toEqual([`${email} ${told}`, []]);
        expect((await page.context().cookies()).map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
          ['guildhall', true],
        ]);
      } finally {
        await browser.close();
      }
    },
  );
});

const html = `<!doctype html>
<script type="importmap">
  {
    "imports": {
      "@guildhall/client": "/page/node_modules/@guildhall/client/dist/index.js",
      "openapi-fetch": "/page/node_modules/openapi-fetch/dist/index.mjs",
      "eventsource-parser": "/page/node_modules/eventsource-parser/dist/index.js"
    }
  }
</script>
<output></output>
<script type="module">
  globalThis.process = { argv: [] };
  const { createClient, unwrap } = await import('@guildhall/client');
  const { tell } = await import('/page/out/program.js');
  const output = document.querySelector('output');
  try {
    const guildhall = createClient({ baseUrl: location.origin, cookie: true });
    const body = { email: ${JSON.stringify(email)}, password: ${JSON.stringify(password)} };
    const person = await unwrap(guildhall.POST('/v3/auth/sign-in', { body }));
    output.textContent = person.email + ' ' + (await tell(guildhall));
  } catch (error) {
    output.textContent = String(error?.stack ?? error);
  }
</script>`;
