import { Type, type Static, type TObject } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { BrowserError, type Browser, type BrowserPage } from '../../../adapters/browser/port.ts';

/** Access of the browser's tools to the session. */
export interface BrowserAccess {
  /** `start`: starts a browser if none runs. */
  use<T>(use: (browser: Browser) => Promise<T>, options: { start: boolean; signal: AbortSignal }): Promise<T>;
  /** Stores a screenshot as an artifact and returns its id. */
  store(picture: { contentType: string; data: Buffer }): Promise<string>;
}

const navigateMs = 30_000;
const actionMs = 15_000;
/** Characters of a page's text in the result of an action, and of browser_content. */
const excerptLength = 1_500;
const shownLength = 25_000;

const selector = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'A CSS selector, e.g. `#save` or `form input[name=email]`, or `text=Sign in` for an element by its text. Selects the first match.',
});

/** Tools with which an agent reads and uses web pages. */
export function browserTools(context: BrowserAccess): AgentTool[] {
  return [navigateTool(context), clickTool(context), typeTool(context), contentTool(context), screenshotTool(context)];
}

function navigateTool(context: BrowserAccess): AgentTool {
  return browserTool({
    name: 'browser_navigate',
    description:
      'Opens a web page (http or https) in the browser and returns its title, its status and the beginning of its text. ' +
      'Use http://localhost:<port> for a server that you started in this sandbox.',
    input: Type.Object({ url: Type.String({ minLength: 1, maxLength: 8_192 }) }),
    readOnly: true,
    title: ({ url }) => `Open ${url}`,
    run: ({ url }, signal) =>
      context.use(
        async (browser) => {
          const page = await browser.navigate(url, { timeoutMs: navigateMs, signal });
          return {
            ok: true,
            output: `${pageHeading(page)}\nStatus: ${page.status}\n\n${await excerpt(browser, signal)}`,
          };
        },
        { start: true, signal },
      ),
  });
}

function clickTool(context: BrowserAccess): AgentTool {
  return browserTool({
    name: 'browser_click',
    description:
      'Clicks an element of the open page and returns the URL, title and beginning of the text after the click.',
    input: Type.Object({ selector }),
    readOnly: false,
    title: (input) => `Click ${input.selector}`,
    run: (input, signal) =>
      context.use(
        async (browser) => {
          const page = await browser.click(input.selector, { timeoutMs: actionMs, signal });
          return { ok: true, output: `${pageHeading(page)}\n\n${await excerpt(browser, signal)}` };
        },
        { start: false, signal },
      ),
  });
}

function typeTool(context: BrowserAccess): AgentTool {
  return browserTool({
    name: 'browser_type',
    description: 'Replaces the text of a field on the open page; with `submit` it then presses Enter.',
    input: Type.Object({
      selector,
      text: Type.String({ maxLength: 100_000 }),
      submit: Type.Optional(Type.Boolean({ description: 'Press Enter afterwards. Default: false.' })),
    }),
    readOnly: false,
    title: (input) => `Type into ${input.selector}`,
    run: ({ submit = false, text, ...input }, signal) =>
      context.use(
        async (browser) => {
          const page = await browser.type(input.selector, text, { timeoutMs: actionMs, signal, submit });
          return { ok: true, output: `${pageHeading(page)}\n\n${await excerpt(browser, signal)}` };
        },
        { start: false, signal },
      ),
  });
}

function contentTool(context: BrowserAccess): AgentTool {
  return browserTool({
    name: 'browser_content',
    description: `Returns the open page's visible text or current HTML, at most ${shownLength} characters per call. Use \`start\` to read on.`,
    input: Type.Object({
      format: Type.Optional(
        Type.Unsafe<'text' | 'html'>({ type: 'string', enum: ['text', 'html'], description: 'Default: text.' }),
      ),
      start: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset of the first character. Default: 0.' })),
    }),
    readOnly: true,
    title: ({ format = 'text' }) => `Read the page's ${format}`,
    run: ({ format = 'text', start = 0 }, signal) =>
      context.use(
        async (browser) => {
          const { content, ...page } = await browser.content(format, { timeoutMs: actionMs, signal });
          const end = Math.min(content.length, start + shownLength);
          const more = end < content.length ? `; read on with start ${end}` : '';
          const range = `Characters ${Math.min(start, end)} to ${end} of ${content.length}${more}`;
          return { ok: true, output: `${pageHeading(page)}\n${range}\n\n${content.slice(start, end)}` };
        },
        { start: false, signal },
      ),
  });
}

function screenshotTool(context: BrowserAccess): AgentTool {
  return browserTool({
    name: 'browser_screenshot',
    description: 'Takes a screenshot of the open page, stores it as an artifact of the session and shows it to you.',
    input: Type.Object({
      full_page: Type.Optional(
        Type.Boolean({ description: 'The whole page instead of the visible part. Default: false.' }),
      ),
    }),
    readOnly: true,
    title: ({ full_page: fullPage = false }) =>
      fullPage ? 'Take a screenshot of the whole page' : 'Take a screenshot',
    async run({ full_page: fullPage = false }, signal) {
      const picture = await context.use((browser) => browser.screenshot({ fullPage, timeoutMs: actionMs, signal }), {
        start: false,
        signal,
      });
      const artifactId = await context.store(picture);
      const image = { mediaType: picture.contentType, data: picture.data.toString('base64') };
      return {
        ok: true,
        output: `${pageHeading(picture)}\nStored as artifact ${artifactId}.`,
        images: [image],
        artifactId,
      };
    },
  });
}

interface Definition<Input extends TObject> {
  name: string;
  description: string;
  input: Input;
  readOnly: boolean;
  title(input: Static<Input>): string;
  run(input: Static<Input>, signal: AbortSignal): Promise<AgentToolResult>;
}

/** Creates a tool that validates its input and returns a browser's failures as results. */
function browserTool<Input extends TObject>(definition: Definition<Input>): AgentTool {
  const { name, description, input: schema, readOnly } = definition;
  return {
    name,
    description,
    input: Object.fromEntries(Object.entries(schema)),
    readOnly,
    title(input) {
      const value = withoutNulls(input);
      return Value.Check(schema, value) ? definition.title(value) : name;
    },
    async run(input, { signal }) {
      const value = withoutNulls(input);
      if (!Value.Check(schema, value)) {
        const [problem] = Value.Errors(schema, value);
        return {
          ok: false,
          output: `The input is not valid: ${problem?.instancePath ?? ''} ${problem?.message ?? ''}.`,
        };
      }
      try {
        return await definition.run(value, signal);
      } catch (error) {
        if (error instanceof BrowserError) return { ok: false, output: describeError(error) };
        throw error;
      }
    },
  };
}

/** Removes null fields: models send `null` for an omitted field. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function describeError({ code, message }: BrowserError): string {
  if (code === 'closed') return `${message} Open a page with browser_navigate.`;
  if (code === 'address_not_allowed') return `${message} The browser can reach only what this sandbox may reach.`;
  return message;
}

function pageHeading({ url, title }: BrowserPage): string {
  return title === '' ? url : `${title}\n${url}`;
}

/** Returns the beginning of the page's text. A page that does not respond must not fail the action before it. */
async function excerpt(browser: Browser, signal: AbortSignal): Promise<string> {
  try {
    const { content } = await browser.content('text', { timeoutMs: 5_000, signal });
    const lines = content.replaceAll(/[ \t]+/g, ' ').split('\n');
    const text = lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
    if (text === '') return '(The page shows no text.)';
    return text.length <= excerptLength ? text : `${text.slice(0, excerptLength)} … (read on with browser_content)`;
  } catch (error) {
    if (error instanceof BrowserError) return `(The page's text cannot be read: ${error.message})`;
    throw error;
  }
}
