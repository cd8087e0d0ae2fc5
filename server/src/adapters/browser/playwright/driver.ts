import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { oneLine } from '../../../lib/one-line.ts';
import { BrowserError, type Browser, type BrowserDriver, type BrowserOptions, type BrowserPage } from '../port.ts';
import { ProgramConnection, type ProgramResult } from './connection.ts';

/** Debian's paths of Chromium itself; `/usr/bin` has a wrapper that does not end its child. */
const executables = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium'] as const;
const program = fileURLToPath(new URL('program/main.ts', import.meta.url));
/** Without a package.json inside, Node warns that it must detect the module type. */
const nodeOptions = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--max-old-space-size=256'] as const;
/** Long enough for a machine that starts ten browsers at once. */
const startWithinMs = 30_000;

export interface PlaywrightOptions {
  /** The paths to look for Chromium, in order; Debian's by default. */
  executables?: readonly string[];
}

/** Drives Chromium with Playwright. Both run inside the sandbox, with the gateway as their only network. */
export function createPlaywrightDriver(options: PlaywrightOptions = {}): BrowserDriver {
  const candidates = options.executables ?? executables;
  return {
    readOnly: programDirectories(),
    async probe() {
      return (await findExecutable(candidates)) === undefined
        ? "No browser is installed on this machine. Install Debian's package chromium-headless-shell (apt-get install --no-install-recommends chromium-headless-shell)."
        : '';
    },
    async open(opening) {
      opening.signal?.throwIfAborted();
      const executable = await findExecutable(candidates);
      if (executable === undefined)
        throw new ProviderError('No browser is installed on this machine.', { retryable: false });
      return open(executable, opening);
    },
  };
}

async function open(executable: string, { sandbox, loopback, signal }: BrowserOptions): Promise<Browser> {
  const line = new ProgramConnection(await sandbox.spawn({ command: [process.execPath, ...nodeOptions, program] }));
  try {
    await line.start({ executable, gateway: sandbox.gatewayUrl, loopback }, { timeoutMs: startWithinMs, signal });
  } catch (error) {
    await line.close();
    signal?.throwIfAborted();
    throw new ProviderError(`The browser failed to start: ${messageOf(error)}`, { retryable: true, cause: error });
  }
  return {
    ended: line.ended,
    close: () => line.close(),
    async navigate(url, call) {
      const target = webAddress(url);
      const { status = 0, ...page } = await line.run({ op: 'navigate', url: target }, call);
      return { ...pageOf(page), status };
    },
    click: async (selector, call) => pageOf(await line.run({ op: 'click', selector }, call)),
    type: async (selector, text, { submit, ...call }) =>
      pageOf(await line.run({ op: 'type', selector, text, submit }, call)),
    async content(format, call) {
      const found = await line.run({ op: 'content', format }, call);
      return { ...pageOf(found), content: found.content ?? '' };
    },
    async screenshot({ fullPage, ...call }) {
      const found = await line.run({ op: 'screenshot', fullPage }, call);
      const data = Buffer.from(found.data ?? '', 'base64');
      return { ...pageOf(found), contentType: found.contentType ?? 'image/png', data };
    },
  };
}

function pageOf({ url, title }: ProgramResult): BrowserPage {
  return { url, title: oneLine(title) };
}

/** Validates a URL: other schemes than http and https read files or run code. */
function webAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new BrowserError('navigation_failed', 'Only http and https URLs can be opened.');
  if (url.username !== '' || url.password !== '')
    throw new BrowserError('navigation_failed', 'A URL must not contain credentials.');
  return url.href;
}

async function findExecutable(candidates: readonly string[]): Promise<string | undefined> {
  for (const path of candidates) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Directories of the program, of Playwright, and of Node unless it is in `/usr`, which every sandbox has. */
function programDirectories(): string[] {
  const playwright = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  const node = process.execPath.startsWith('/usr/') ? [] : [dirname(process.execPath)];
  return [dirname(program), playwright, ...node];
}
