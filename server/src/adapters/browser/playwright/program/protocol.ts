import type { BrowserErrorCode } from '../../port.ts';

/** What the driver and its program inside the sandbox say to each other: newline-delimited JSON over the program's streams. */

/** The first line that the program reads. */
export interface Setup {
  /** Chromium's own executable. */
  readonly executable: string;
  /** The gateway's base URL. */
  readonly gateway: string;
  readonly loopback: boolean;
}

/** Every other line that it reads. */
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

/** The result of an operation; each has the first two, and its own fields. */
export interface Result {
  readonly url: string;
  readonly title: string;
  readonly status?: number;
  readonly content?: string;
  readonly contentType?: string;
  /** Base64. */
  readonly data?: string;
}

/** Bounds on what a page can make of an answer. */
export const bounds = {
  urlCharacters: 4_000,
  titleCharacters: 1_000,
  messageCharacters: 2_000,
  contentBytes: 1024 * 1024,
  /** The maximum size of a PNG; a larger picture becomes a JPEG. */
  pngBytes: 1024 * 1024,
  imageBytes: 6 * 1024 * 1024,
} as const;
