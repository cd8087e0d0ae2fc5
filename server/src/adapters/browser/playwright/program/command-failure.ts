import { errors } from 'playwright-core';
import type { BrowserErrorCode } from '../../port.ts';
import type { Command } from './protocol.ts';

/** Failure of a command. */
export class CommandFailed extends Error {
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string) {
    super(message);
    this.name = 'Failed';
    this.code = code;
  }
}

/** A command took too long. */
export class TimedOut extends Error {}

/** Explains an error to the sender of the command. */
export function toCommandFailed(error: unknown, command: Command): CommandFailed {
  if (error instanceof CommandFailed) return error;
  if (error instanceof TimedOut || error instanceof errors.TimeoutError) return timedOut(error, command);
  const message = firstLine(error);
  if (command.op === 'navigate') return new CommandFailed('navigation_failed', `${command.url} ${reasonOf(message)}.`);
  if (command.op === 'click' || command.op === 'type') {
    return new CommandFailed(
      'element_not_found',
      `${JSON.stringify(command.selector)} is not a usable selector: ${message}.`,
    );
  }
  return new CommandFailed('navigation_failed', `The page cannot be read: ${message}.`);
}

function timedOut(error: Error, command: Command): CommandFailed {
  const seconds = `${command.timeoutMs / 1_000} s`;
  switch (command.op) {
    case 'navigate':
      return new CommandFailed('navigation_timeout', `${command.url} did not load within ${seconds}.`);
    case 'click':
    case 'type':
      return error instanceof TimedOut
        ? new CommandFailed('navigation_timeout', `The page did not respond within ${seconds}.`)
        : new CommandFailed(
            'element_not_found',
            `${JSON.stringify(command.selector)} did not become visible and usable within ${seconds}.`,
          );
    case 'content':
    case 'screenshot':
      return new CommandFailed('navigation_timeout', `The page did not respond within ${seconds}.`);
  }
}

/** Returns Playwright's message without the call's name and log. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '').replace(/\.$/, '');
}

function reasonOf(message: string): string {
  if (message.includes('Download is starting')) return 'is a download, which this browser does not support';
  if (message.includes('ERR_ABORTED')) return 'returned no page';
  if (message.includes('crashed')) return 'crashed the page';
  return `could not be opened: ${/net::ERR_[A-Z_]+/.exec(message)?.[0] ?? message}`;
}
