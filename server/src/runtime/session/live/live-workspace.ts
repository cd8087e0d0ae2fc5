import { setTimeout as delay } from 'node:timers/promises';
import { NothingListens, type SandboxConnection } from '../../../adapters/sandbox/port.ts';
import {
  closeCodes,
  linkLastsMs,
  type LinkAnswer,
  type TerminalCall,
  type TerminalEnd,
} from '../../../features/sessions/live/calls.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { LiveSession } from '../../live/live-sessions.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { sandboxPaths } from '../workspace/check-out.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import { Terminal } from './terminal.ts';

const maxTerminals = 4;
/** Terminals that are ending may take this long. */
const endWithinMs = 10_000;

/** Use of the agent's sandbox of an attempt by people: their shells, and the servers that they look at. */
export class LiveWorkspace implements LiveSession {
  readonly #attempt: Attempt;
  readonly #checkoutSet: CheckoutSet;
  #sessionSandbox: SessionSandbox;
  readonly #terminals = new Set<Terminal>();
  #opened = 0;
  #starting = 0;
  #left = false;
  #touched = false;

  constructor(attempt: Attempt, checkoutSet: CheckoutSet, sessionSandbox: SessionSandbox) {
    this.#attempt = attempt;
    this.#checkoutSet = checkoutSet;
    this.#sessionSandbox = sessionSandbox;
    this.enter();
    attempt.resources.onClose(() =>
      this.leave({ code: closeCodes.sandboxEnded, reason: 'The session gave its sandbox up.' }),
    );
  }

  /** Accepts terminals and previews until {@link leave}. */
  enter(): void {
    this.#left = false;
    this.#attempt.ctx.live.enter(this.#attempt.run.id, this);
  }

  /** Continues with another sandbox; terminals ended with the previous one. */
  moveTo(sessionSandbox: SessionSandbox): void {
    this.#sessionSandbox = sessionSandbox;
  }

  /** True if a person typed, or a terminal printed, since the last call: the work tree may have changed. */
  takeTouched(): boolean {
    const touched = this.#touched;
    this.#touched = false;
    return touched;
  }

  get hasTerminals(): boolean {
    return this.#terminals.size > 0;
  }

  async openTerminal({ columns, rows, by }: TerminalCall): Promise<LinkAnswer> {
    if (this.#terminals.size + this.#starting >= maxTerminals)
      throw new AppError(
        'rate_limited',
        `Limit reached: a session can have at most ${maxTerminals} open terminals. Close one first.`,
      );
    const { ctx, personalSecrets } = this.#attempt;
    const isOwner = `${by.type}:${by.id}` === personalSecrets.owner;
    if (!isOwner && !personalSecrets.admit('a terminal of another member'))
      throw new AppError('forbidden', 'This session uses secrets of its creator, so only its creator can use it.');
    this.#starting += 1;
    const terminal = await this.#start({ columns, rows, by }).finally(() => (this.#starting -= 1));
    const { address, remove } = await ctx.links.add((socket) => {
      remove();
      terminal.connect(socket);
    });
    setTimeout(remove, linkLastsMs.terminal).unref();
    return { ...address };
  }

  async #start({ columns, rows, by }: Pick<TerminalCall, 'columns' | 'rows' | 'by'>): Promise<Terminal> {
    const sessionSandbox = this.#sessionSandbox;
    const [only, ...others] = this.#checkoutSet.checkouts;
    const { workspace } = sessionSandbox.sandbox;
    const cwd = only === undefined || others.length > 0 ? workspace : sandboxPaths(sessionSandbox, only).workspace;
    const pty = await sessionSandbox.sandbox
      .openTerminal({
        command: ['bash', '--noprofile', '--norc'],
        cwd,
        env: { ...sessionSandbox.env, TERM: 'xterm-256color', PS1: String.raw`\w \$ ` },
        columns,
        rows,
      })
      .catch((error: unknown) => {
        const { ctx, run } = this.#attempt;
        ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'a terminal failed to start');
        throw new AppError('capacity_unavailable', 'The shell failed to start in the sandbox. Try again.');
      });
    this.#opened += 1;
    const terminal = new Terminal({
      attempt: this.#attempt,
      sessionSandbox,
      terminal: pty,
      by,
      number: this.#opened,
      onActivity: () => (this.#touched = true),
    });
    this.#terminals.add(terminal);
    void terminal.ended.finally(() => this.#terminals.delete(terminal));
    if (this.#left) terminal.close({ code: closeCodes.sandboxEnded, reason: 'The session gave its sandbox up.' });
    return terminal;
  }

  async connect(port: number): Promise<SandboxConnection> {
    const { ctx } = this.#attempt;
    const { isolation } = await ctx.sandbox.probe();
    if (isolation.kind === 'none')
      throw new AppError(
        'not_supported',
        `Sandboxes of the driver ${ctx.sandbox.name} have no network of their own, so a port would be the worker's. Previews need an isolating driver.`,
      );
    const { sandbox } = this.#sessionSandbox;
    if (sandbox.gatewayUrl.endsWith(`:${port}`))
      throw new AppError('upstream_error', `Port ${port} is the platform's own in every sandbox. Use another one.`);
    try {
      return await sandbox.connect(port);
    } catch (error) {
      if (!(error instanceof NothingListens)) throw error;
      throw new AppError(
        'upstream_error',
        `Nothing listens on port ${port} of the sandbox. Start the server in the session, on 127.0.0.1 with this port.`,
      );
    }
  }

  /** Ends all terminals and accepts no more; resolves when their ends are in the log. Never rejects. */
  async leave(end: TerminalEnd): Promise<void> {
    this.#left = true;
    const { ctx, run } = this.#attempt;
    ctx.live.leave(run.id, this);
    for (const terminal of this.#terminals) terminal.close(end);
    await Promise.race([
      Promise.all([...this.#terminals].map(({ ended }) => ended)),
      delay(endWithinMs, undefined, { ref: false }),
    ]);
  }
}
