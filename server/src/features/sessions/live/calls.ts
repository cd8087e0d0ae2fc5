import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** The calls from an API process to the worker that runs a session's sandbox; each is a kind of `ctx.workerCalls`. */
export const callKinds = { terminal: 'live.terminal', preview: 'live.preview' } as const;

export const TerminalCall = Type.Object({
  session: Type.String(),
  columns: Type.Integer(),
  rows: Type.Integer(),
  by: Type.Object({
    type: Type.Union([
      Type.Literal('user'),
      Type.Literal('service_user'),
      Type.Literal('app'),
      Type.Literal('session'),
    ]),
    id: Type.String(),
    name: Type.String(),
  }),
});
export const PreviewCall = Type.Object({ session: Type.String(), port: Type.Integer() });

/**
 * Address at which the worker takes the connection, and the token that the connection begins with. That of a terminal is for one
 * connection, which then has frames; that of a preview is for any number, each one to the server in the sandbox.
 */
export const LinkAnswer = Type.Object({ host: Type.String(), port: Type.Integer(), token: Type.String() });

export type TerminalCall = Static<typeof TerminalCall>;
export type LinkAnswer = Static<typeof LinkAnswer>;

/** Milliseconds within which the API process connects, and for which it may use a preview's token. */
export const linkLastsMs = { terminal: 10_000, preview: 60_000 } as const;

/**
 * The frames of a terminal. To the worker: `d` has typed bytes, `r` the columns and rows as two numbers of two bytes. From it:
 * `o` has output, and `x` ends the terminal, with {@link TerminalEnd} as JSON.
 */
export const frameKinds = { typed: 'd', resize: 'r', output: 'o', end: 'x' } as const;

export const TerminalEnd = Type.Object({ code: Type.Integer(), reason: Type.String() });
export type TerminalEnd = Static<typeof TerminalEnd>;

/** Close codes of a terminal's WebSocket. */
export const closeCodes = {
  /** The shell ended. */
  exited: 1000,
  /** The server or the worker stops. */
  goingAway: 1001,
  /** A message that is not allowed. */
  notAllowed: 1008,
  failed: 1011,
  /** The key, the sign-in, the role or the address no longer allows it. */
  revoked: 4401,
  idle: 4408,
  /** The sandbox ended. */
  sandboxEnded: 4410,
} as const;

/** Parses a message of another process, which may have another version. Throws if it has an unexpected shape. */
export function readAs<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (!Value.Check(schema, value)) throw new Error('Another process sent an unexpected message.');
  return value;
}
