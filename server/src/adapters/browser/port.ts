/** Drives a browser inside a sandbox. */
export interface BrowserDriver {
  /** Returns the reason why this machine has no browser, and what to install; `''` if it has one. */
  probe(): Promise<string>;
  /** Host directories to mount into a sandbox, at the same paths, before {@link BrowserDriver.open}. */
  readonly readOnly: readonly string[];
  /** Starts a new browser. Rejects with a `ProviderError`, or with the signal's reason. */
  open(options: BrowserOptions): Promise<Browser>;
}

/** The part of a sandbox that a browser needs; any `Sandbox` satisfies it. */
export interface BrowserSandbox {
  /** The gateway's base URL inside, which is also a forward proxy. */
  readonly gatewayUrl: string;
  spawn(options: { command: string[]; cwd?: string; env?: Record<string, string> }): Promise<BrowserProcess>;
}

export interface BrowserProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<{ outOfMemory: boolean }>;
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void;
}

export interface BrowserOptions {
  readonly sandbox: BrowserSandbox;
  /**
   * Allows pages of servers inside the sandbox (an application under test). Only for a sandbox with a loopback of its own.
   * Never gives access to the gateway.
   */
  readonly loopback: boolean;
  readonly signal?: AbortSignal;
}

/** One browser with one page. Runs one call at a time; others queue. */
export interface Browser {
  /** http and https only. Rejects with {@link BrowserError}, like every call of a browser. */
  navigate(url: string, options: BrowserCall): Promise<BrowserPage & { status: number }>;
  click(selector: string, options: BrowserCall): Promise<BrowserPage>;
  type(selector: string, text: string, options: BrowserCall & { submit: boolean }): Promise<BrowserPage>;
  content(format: 'text' | 'html', options: BrowserCall): Promise<BrowserPage & { content: string }>;
  screenshot(
    options: BrowserCall & { fullPage: boolean },
  ): Promise<BrowserPage & { contentType: string; data: Buffer }>;
  /** Resolves with a sentence for users when the browser has ended for any reason; never rejects. */
  readonly ended: Promise<string>;
  /** Ends the browser with all its processes; never rejects. */
  close(): Promise<void>;
}

export interface BrowserCall {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface BrowserPage {
  /** `about:blank` before the first navigation. */
  readonly url: string;
  readonly title: string;
}

/**
 * - `address_not_allowed`: the gateway refused an address or host; the page is then `about:blank`.
 * - `navigation_failed`, `navigation_timeout`: the page did not load, or not in time.
 * - `element_not_found`: no visible element matched in time, or the selector is invalid.
 * - `closed`: the browser has ended.
 */
export type BrowserErrorCode =
  | 'address_not_allowed'
  | 'navigation_failed'
  | 'navigation_timeout'
  | 'element_not_found'
  | 'closed';

export class BrowserError extends Error {
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string) {
    super(message);
    this.name = 'BrowserError';
    this.code = code;
  }
}
