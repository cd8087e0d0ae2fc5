import type { BrowserErrorCode } from '../../port.ts';

/** Protocol between the driver and its program inside the sandbox: newline-delimited JSON over stdin and stdout. */

/** The first line that the program reads. */
export interface Setup {
  /** Chromium's own executable. */
  readonly executable: string;
  /** The gateway's base URL. */
  readonly gateway: string;
  readonly loopback: boolean;
}

/** All other lines that the program reads. */
export type Command = { readonly id: number; readonly timeoutMs: number } & Operation;

export type Operation =
  | { readonly op: 'navigate'; readonly url: string }
  | { readonly op: 'click'; readonly selector: string }
  | { readonly op: 'type'; readonly selector: string; readonly text: string; readonly submit: boolean }
  | { readonly op: 'content'; readonly format: 'text' | 'html' }
  | { readonly op: 'screenshot'; readonly fullPage: boolean };

/** The program's output: one ready line, then a response to each command. */
export type Answer =
  | { readonly ready: true }
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: { readonly code: BrowserErrorCode; readonly message: string } };

/** Result of an operation: URL and title, and the operation's own fields. */
export interface Result {
  readonly url: string;
  readonly title: string;
  readonly status?: number;
  readonly content?: string;
  readonly contentType?: string;
  /** Base64. */
  readonly data?: string;
}

/** Limits for an answer. */
export const bounds = {
  urlCharacters: 4_000,
  titleCharacters: 1_000,
  messageCharacters: 2_000,
  contentBytes: 1024 * 1024,
  /** The maximum size of a PNG; a larger image becomes a JPEG. */
  pngBytes: 1024 * 1024,
  imageBytes: 6 * 1024 * 1024,
} as const;
