import type { SandboxConnection } from '../../adapters/sandbox/port.ts';
import type { LinkAnswer, TerminalCall } from '../../features/sessions/live/calls.ts';

/** A session of this worker whose sandbox people can use. */
export interface LiveSession {
  readonly hasTerminals: boolean;
  /** Starts a shell. Throws 403 `forbidden`, 429 `rate_limited`, 503 `capacity_unavailable`. */
  openTerminal(asked: TerminalCall): Promise<LinkAnswer>;
  /** Connects to a server in the sandbox. Throws 409 `not_supported`, 502 `upstream_error`. */
  connect(port: number): Promise<SandboxConnection>;
}

/** The sessions of this worker that have a sandbox now, by id. */
export class LiveSessions {
  readonly #sessions = new Map<string, LiveSession>();

  find(id: string): LiveSession | undefined {
    return this.#sessions.get(id);
  }

  hasTerminals(id: string): boolean {
    return this.#sessions.get(id)?.hasTerminals === true;
  }

  enter(id: string, session: LiveSession): void {
    this.#sessions.set(id, session);
  }

  /** A later attempt at the same session stays. */
  leave(id: string, session: LiveSession): void {
    if (this.#sessions.get(id) === session) this.#sessions.delete(id);
  }
}
