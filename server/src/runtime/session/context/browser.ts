import { BrowserError } from '../../../adapters/browser/port.ts';
import type { GivenBrowser } from '../../../features/sessions/schemas/context-schemas.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { browserProblem } from '../../browser/problem.ts';
import { browserTools } from './browser-tools.ts';
import type { ContextProvider, ContextPart } from './context-provider.ts';
import { SessionBrowser } from './session-browser.ts';

/** An idle browser is closed because it takes some 300 MB of the sandbox's memory. */
const idleMs = 5 * 60_000;

/** Provides a browser in the session's own sandbox: it can reach what the sandbox can, and servers that the agent starts there. */
export const provideBrowser: ContextProvider<GivenBrowser> = async (
  { attempt, sessionSandbox: { sandbox } },
  before,
  start,
) => {
  const { ctx } = attempt;
  const problem = await browserProblem(ctx);
  if (problem !== '') return unavailable(problem);
  const [known] = before ?? [];
  if (start === 'again' && known?.available === false) return unavailable(known.problem);
  const { isolation } = await ctx.sandbox.probe();
  const loopback = isolation.kind === 'namespaces';
  const browser = new SessionBrowser(ctx.browser, { sandbox, loopback, idleMs });
  let pictures = 0;
  const tools = browserTools({
    async use(use, options) {
      try {
        return await browser.use(use, options);
      } catch (error) {
        const isGone = error instanceof ProviderError || (error instanceof BrowserError && error.code === 'closed');
        if (!isGone) throw error;
        // If the sandbox is lost, this rejects, and the loss of the sandbox is reported instead of the browser's.
        await sandbox.exec({ command: ['true'], timeoutMs: 10_000, signal: options.signal });
        throw error instanceof BrowserError ? error : new BrowserError('closed', error.message);
      }
    },
    store({ contentType, data }) {
      pictures += 1;
      const name = `screenshot-${pictures}.${contentType === 'image/png' ? 'png' : 'jpg'}`;
      return attempt.blobs.keepArtifact(name, () => data, contentType);
    },
  });
  return { given: [{ available: true, problem: '' }], section: '', tools, close: () => browser.close() };
};

function unavailable(problem: string): ContextPart<GivenBrowser> {
  return { given: [{ available: false, problem }], section: '', tools: [] };
}
