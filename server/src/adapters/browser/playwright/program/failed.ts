import { errors } from 'playwright-core';
import type { BrowserErrorCode } from '../../port.ts';
import type { Command } from './protocol.ts';

/** A command that came to nothing. */
export class Failed extends Error {
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string) {
    super(message);
    this.name = 'Failed';
    this.code = code;
  }
}

/** The time of a command is over. */
export class TimedOut extends Error {}

/** Explains an error to the sender of the command. */
export function describe(error: unknown, command: Command): Failed {
  if (error instanceof Failed) return error;
  if (error instanceof TimedOut || error instanceof errors.TimeoutError) return timedOut(error, command);
  const message = firstLine(error);
  if (command.op === 'navigate') return new Failed('navigation_failed', `${command.url} ${reasonOf(message)}.`);
  if (command.op === 'click' || command.op === 'type') {
    return new Failed('element_not_found', `${JSON.stringify(command.selector)} cannot be used: ${message}.`);
  }
  return new Failed('navigation_failed', `The page cannot be read: ${message}.`);
}

function timedOut(error: Error, command: Command): Failed {
  const seconds = `${command.timeoutMs / 1_000} s`;
  switch (command.op) {
    case 'navigate':
      return new Failed('navigation_timeout', `${command.url} did not come within ${seconds}.`);
    case 'click':
    case 'type':
      return error instanceof TimedOut
        ? new Failed('navigation_timeout', `The page did not answer within ${seconds}.`)
        : new Failed(
            'element_not_found',
            `${JSON.stringify(command.selector)} is not there, visible and usable, within ${seconds}.`,
          );
    case 'content':
    case 'screenshot':
      return new Failed('navigation_timeout', `The page did not answer within ${seconds}.`);
  }
}

/** Playwright's messages name the call first and tell its log after. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '').replace(/\.$/, '');
}

function reasonOf(message: string): string {
  if (message.includes('Download is starting')) return 'is a download, and this browser takes none';
  if (message.includes('ERR_ABORTED')) return 'answered without a page';
  if (message.includes('crashed')) return 'made the page crash';
  return `could not be opened: ${/net::ERR_[A-Z_]+/.exec(message)?.[0] ?? message}`;
}
