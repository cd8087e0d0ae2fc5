/** Drives a browser inside a sandbox. */
export interface BrowserDriver {
  /** Returns why this machine has no browser, and what to install; `''` when it has one. */
  probe(): Promise<string>;
  /** Host directories that a sandbox must see, at the same paths, for {@link BrowserDriver.open} to work in it. */
  readonly readOnly: readonly string[];
  /** Starts a browser of its own. Rejects with a `ProviderError`, or with the signal's reason. */
  open(options: BrowserOptions): Promise<Browser>;
}

/** The narrow side of a sandbox that a browser needs; any `Sandbox` is one. */
export interface BrowserSandbox {
  /** The gateway's base URL inside, a forward proxy too. */
  readonly gatewayUrl: string;
  spawn(options: { command: string[]; cwd?: string; env?: Record<string, string> }): Promise<BrowserProcess>;
}

export interface BrowserProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<{ exitCode: number }>;
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void;
}

export interface BrowserOptions {
  readonly sandbox: BrowserSandbox;
  /**
   * Whether pages may be of servers that listen inside the sandbox itself (an application under test): only where the
   * sandbox has a loopback of its own. The gateway is never reached that way.
   */
  readonly loopback: boolean;
  readonly signal?: AbortSignal;
}

/** One browser with one page. A call at a time; those that come meanwhile wait. */
export interface Browser {
  /** http and https only. Rejects with {@link BrowserError}, as every call of a browser does. */
  navigate(url: string, options: BrowserCall): Promise<BrowserPage & { status: number }>;
  click(selector: string, options: BrowserCall): Promise<BrowserPage>;
  type(selector: string, text: string, options: BrowserCall & { submit: boolean }): Promise<BrowserPage>;
  content(format: 'text' | 'html', options: BrowserCall): Promise<BrowserPage & { content: string }>;
  screenshot(
    options: BrowserCall & { fullPage: boolean },
  ): Promise<BrowserPage & { contentType: string; data: Buffer }>;
  /** Settles once when the browser is gone, whoever ended it; never rejects. */
  readonly ended: Promise<void>;
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
 * - `address_not_allowed`: the gateway refused an address or host; the page is left at `about:blank`.
 * - `navigation_failed`, `navigation_timeout`: no page came, or not in time.
 * - `element_not_found`: no visible element of the selector came in time, or the selector is none.
 * - `closed`: the browser is gone.
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
