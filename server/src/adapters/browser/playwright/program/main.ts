import { createInterface } from 'node:readline';
import { CommandFailed } from './command-failure.ts';
import { openBrowser, type DrivenPage } from './page.ts';
import { bounds, type Answer, type Command, type Setup } from './protocol.ts';
import { startProxy } from './proxy.ts';

/**
 * Runs inside a sandbox: starts Chromium and executes the driver's commands one after another. Ends with its input, with
 * Chromium, or when the browser stops responding for good.
 */
async function main(): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) return;
  const setup: Setup = JSON.parse(first.value);
  const proxy = await startProxy(setup);
  const page = await openBrowser(setup, proxy, () => process.exit(1));
  say({ ready: true });
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const command: Command = JSON.parse(line.value);
    say(await answer(page, command));
  }
  await page.close();
}

async function answer(page: DrivenPage, command: Command): Promise<Answer> {
  const { id } = command;
  try {
    return { id, result: await page.run(command) };
  } catch (error) {
    const code = error instanceof CommandFailed ? error.code : 'navigation_failed';
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code, message: message.toWellFormed().slice(0, bounds.messageCharacters) } };
  }
}

function say(message: Answer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

await main();
process.exit(0);
