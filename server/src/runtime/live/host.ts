import type { Socket } from 'node:net';
import type { Static } from 'typebox';
import {
  callKinds,
  linkLastsMs,
  PreviewCall,
  readAs,
  TerminalCall,
  type LinkAnswer,
} from '../../features/sessions/live/calls.ts';
import { AppError, messageOf } from '../../lib/errors.ts';
import { drained } from '../../lib/link-frames.ts';
import type { WorkerContext } from '../context.ts';
import type { SandboxConnection } from '../../adapters/sandbox/port.ts';
import type { LiveSession } from './live-sessions.ts';

type HostContext = Pick<WorkerContext, 'workerCalls' | 'config' | 'log' | 'live' | 'links'>;

/** Concurrent connections to servers in one worker's sandboxes; each takes memory for two windows. */
const mostConnections = 256;

/** Serves terminals and previews of this worker's sessions; the returned function stops it. */
export function serveLiveSessions(ctx: HostContext): () => Promise<void> {
  const host = new Host(ctx);
  const { terminal, preview } = callKinds;
  return ctx.workerCalls.serve(
    ctx.config.processId,
    {
      [terminal]: async (input) => {
        const call = readAs(TerminalCall, input);
        return host.session(call.session).openTerminal(call);
      },
      [preview]: (input) => host.openPreview(readAs(PreviewCall, input)),
    },
    { concurrency: 32 },
  );
}

/** A connection without any bytes for this long is closed. */
const silentMs = 15 * 60_000;

class Host {
  readonly #ctx: HostContext;
  #connections = 0;

  constructor(ctx: HostContext) {
    this.#ctx = ctx;
  }

  /** Throws 409 `sandbox_not_running`. */
  session(id: string): LiveSession {
    const found = this.#ctx.live.find(id);
    if (found !== undefined) return found;
    throw new AppError(
      'sandbox_not_running',
      'The session has no sandbox at the moment. Send it a message to start one.',
    );
  }

  /** Connects once, so that a missing server is an error of the call. */
  async openPreview({ session, port }: Static<typeof PreviewCall>): Promise<LinkAnswer> {
    (await this.session(session).connect(port)).close();
    const { address, remove } = await this.#ctx.links.add((socket) => void this.#join(socket, session, port));
    setTimeout(remove, linkLastsMs.preview).unref();
    return { ...address };
  }

  /** Joins a connection to the server in the sandbox, until either side ends. Never rejects. */
  async #join(socket: Socket, session: string, port: number): Promise<void> {
    if (this.#connections >= mostConnections) {
      socket.destroy();
      return;
    }
    this.#connections += 1;
    socket.setTimeout(silentMs, () => socket.destroy());
    try {
      await relay(socket, await this.session(session).connect(port));
    } catch (error) {
      this.#ctx.log.debug({ session, reason: messageOf(error) }, 'a connection to a preview ended');
      socket.destroy();
    } finally {
      this.#connections -= 1;
    }
  }
}

/** Passes bytes in both directions, each no faster than its receiver takes them, until the server closes or either side fails. */
async function relay(socket: Socket, inside: SandboxConnection): Promise<void> {
  const inward = async (): Promise<void> => {
    const writer = inside.writable.getWriter();
    try {
      for await (const chunk of socket) await writer.write(Buffer.from(chunk));
      await writer.close();
    } catch {
      inside.close();
    }
  };
  // Its end is not awaited: a client may keep its half open for as long as it likes.
  void inward();
  try {
    for await (const chunk of inside.readable) {
      if (!socket.write(chunk)) await drained(socket);
      if (socket.destroyed) return;
    }
    // The rest is still sent.
    socket.destroySoon();
  } finally {
    inside.close();
  }
}
