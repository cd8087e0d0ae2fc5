import type { Terminal } from '@xterm/headless';
import { ApiError, apiOf, unwrap } from '../../../../lib/api.ts';
import { failureOf, signInIfNeeded } from '../../../../lib/errors.ts';
import { pasted } from './bytes.ts';
import { OutputQueue } from './queue.ts';

/** How a shell stands; `said` is why it ended. */
export interface ShellState {
  phase: 'new' | 'connecting' | 'open' | 'ended';
  said: string;
  /** Counts what was drawn. */
  version: number;
}

const scrollback = 5_000;
/** A message has at most 64 KiB. */
const messageBytes = 32 * 1024;
export const mostPastedBytes = 1_000_000;
/** Answers of the terminal to the program, for one piece of output. */
const mostAnswered = 4_096;
const mostEarly = 4_096;
/** Ends a sequence that was cut, then writes in no color. */
const cut = '\u0018\u001b[0m';
/** Leaves a program's own screen. Elsewhere it would move the cursor. */
const leaveScreen = `${cut}\u001b[?1049l`;
/** Ends what the last program asked for: its arrows, its marks of what is pasted, no cursor. */
const calm = `${cut}\u001b[?1l\u001b[?2004l\u001b[?25h\r\n`;

const encoder = new TextEncoder();

/** A person's shell in the sandbox of a session: its connection, and the terminal that reads what it prints. */
export class Shell {
  readonly #org: string;
  readonly #id: string;
  readonly #queue = new OutputQueue();
  readonly #listeners = new Set<() => void>();
  #state: ShellState = { phase: 'new', said: '', version: 0 };
  #terminal: Terminal | undefined;
  #socket: WebSocket | undefined;
  #isDrawing = false;
  #isClosed = false;
  #answered = 0;
  /** What was typed before it was open. */
  #early = '';
  hasCursor = true;
  /** True until the person is led to its field. */
  wantsFocus = true;

  constructor(org: string, id: string) {
    this.#org = org;
    this.#id = id;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly state = (): ShellState => this.#state;

  /** Undefined until the first connection. */
  get terminal(): Terminal | undefined {
    return this.#terminal;
  }

  /** Connects for the first time, or again after an end; what was printed stays. */
  async open(cols: number, rows: number): Promise<void> {
    if (this.#state.phase === 'connecting' || this.#state.phase === 'open') return;
    this.#set({ phase: 'connecting', said: '' });
    if (this.#terminal === undefined) {
      const { Terminal: Xterm } = await import('@xterm/headless');
      this.#terminal = new Xterm({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' });
      this.#listen(this.#terminal);
    } else {
      if (this.#terminal.buffer.active.type === 'alternate') this.#terminal.write(leaveScreen);
      this.#terminal.write(calm);
    }
    // It was closed meanwhile.
    if (this.#isClosed) return;
    const path = `/v3/organizations/${encodeURIComponent(this.#org)}/sessions/${encodeURIComponent(this.#id)}/terminal`;
    const url = new URL(`${path}?cols=${cols}&rows=${rows}`, location.origin);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    let wasOpen = false;
    socket.addEventListener('open', () => {
      wasOpen = true;
      this.#set({ phase: 'open', said: '' });
      this.type(this.#early);
      this.#early = '';
    });
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) this.#queue.add(new Uint8Array(data));
      this.#schedule();
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (wasOpen) this.#end(reason === '' ? lost(code) : reason);
      else void this.#askWhy();
    });
  }

  /** Types text; true if it is sent. */
  type(text: string): boolean {
    if (this.#state.phase === 'connecting') return this.#keep(text);
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN || text === '') return false;
    const bytes = encoder.encode(text);
    if (bytes.length + socket.bufferedAmount > 2 * mostPastedBytes) return false;
    for (let at = 0; at < bytes.length; at += messageBytes) socket.send(bytes.subarray(at, at + messageBytes));
    return true;
  }

  paste(text: string): boolean {
    return text.length <= mostPastedBytes && this.type(pasted(text, this.#terminal?.modes.bracketedPasteMode === true));
  }

  resize(cols: number, rows: number): void {
    const terminal = this.#terminal;
    if (terminal === undefined || (terminal.cols === cols && terminal.rows === rows)) return;
    terminal.resize(cols, rows);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: 'resize', cols, rows }));
    this.#drawn();
  }

  /** Ends the shell and its connection. */
  close(): void {
    this.#isClosed = true;
    this.#socket?.close(1000);
    this.#end('You closed the shell.');
    this.#listeners.clear();
  }

  #keep(text: string): boolean {
    const fits = this.#early.length + text.length <= mostEarly;
    if (fits) this.#early += text;
    return fits;
  }

  #listen(terminal: Terminal): void {
    terminal.onData((answer) => {
      this.#answered += answer.length;
      if (this.#answered <= mostAnswered) this.type(answer);
    });
    const onMode = (isShown: boolean) => (parameters: (number | number[])[]) => {
      if (parameters.includes(25)) this.hasCursor = isShown;
      return false;
    };
    terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, onMode(true));
    terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, onMode(false));
  }

  /** Draws what has come, once per frame: the page stays usable whatever a program prints. */
  #schedule(): void {
    const terminal = this.#terminal;
    if (this.#isDrawing || this.#queue.isEmpty || terminal === undefined) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      const { bytes, skipped } = this.#queue.take();
      this.#answered = 0;
      if (skipped > 0)
        terminal.write(`${cut}\r\n[${Math.ceil(skipped / 1_000_000)} MB skipped: the record has them]\r\n`);
      terminal.write(bytes, () => {
        this.#isDrawing = false;
        this.#drawn();
        this.#schedule();
      });
    });
  }

  #drawn(): void {
    this.#set({ version: this.#state.version + 1 });
  }

  #end(said: string): void {
    this.#early = '';
    if (this.#state.phase !== 'ended') this.#set({ phase: 'ended', said });
  }

  /** A browser does not tell why a handshake was refused; a plain request is refused for the same reason. */
  async #askWhy(): Promise<void> {
    try {
      const answer = apiOf(this.#org).GET('/v3/organizations/{orgId}/sessions/{id}/terminal', {
        params: { path: { id: this.#id } },
      });
      await unwrap(answer);
      this.#end(lost(0));
    } catch (error) {
      signInIfNeeded(error);
      const couldOpen = error instanceof ApiError && error.code === 'upgrade_required';
      this.#end(couldOpen ? notOpened : failureOf(error).message);
    }
  }

  #set(change: Partial<ShellState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const notOpened =
  'The shell did not open. Four shells of the session may be open already, or a proxy on the way does not pass WebSockets.';

function lost(code: number): string {
  return code === 1000
    ? 'The shell ended.'
    : 'The connection was lost, and the shell ended with it. Files are as it left them.';
}
