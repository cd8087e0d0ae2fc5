import type { SessionEvent } from '@guildhall/client';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { readBlock, type EventBlock } from './events.ts';
import { emptyFold, fold, foldOf, joinFolds, type Fold } from './fold.ts';
import { untilHidden } from './untilHidden.ts';
import { blockOf, blockSize, grown, isAttached, mostBlocks, rangeOf, windowAt, type BlockWindow } from './window.ts';

/** What a reader sees of a log: one run of events without a gap. */
export interface LogState {
  fold: Fold;
  window: BlockWindow;
  /** False while newer events are not in the window. */
  isAttached: boolean;
  hasEarlier: boolean;
  /** The number of the newest event that is known. */
  lastSeq: number;
  /** Rows that began since the reader left the end. */
  newRows: number;
  /** True until the first events are loaded, and after a jump. */
  isLoading: boolean;
  /** Since when the connection is lost; undefined while it is there. */
  lostSince: number | undefined;
  /** The first event that is still kept, if earlier ones are not. */
  firstKept: number | undefined;
  /** The reason why nothing can be shown. */
  error: unknown;
}

const sessionPath = '/v3/organizations/{orgId}/sessions/{id}';

/** The longest wait for an answer before the stream is opened without it. */
const catchUpMs = 5_000;

const nothing: LogState = {
  fold: emptyFold,
  window: { first: 0, last: 0 },
  isAttached: true,
  hasEarlier: false,
  lastSeq: 0,
  newRows: 0,
  isLoading: true,
  lostSince: undefined,
  firstKept: undefined,
  error: undefined,
};

/** Holds a part of a session's log: opens it anywhere, grows it at both ends, and follows what arrives. */
export class SessionLog {
  readonly #org: string;
  readonly #id: string;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #folds = new Map<number, Fold>();
  /** The last event that is held of each block, without a gap before it. */
  readonly #ends = new Map<number, number>();
  readonly #new = new Set<string>();
  #state = nothing;
  #isFollowed = true;
  #jump = 0;
  #growing = new Set<'earlier' | 'later'>();
  #arrived: SessionEvent[] = [];
  /** The newest events that arrived, also those outside of the window. */
  #recent: SessionEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(org: string, id: string) {
    this.#org = org;
    this.#id = id;
  }

  /** Opens at the end, or around an event, and follows the log from then on. */
  async open(lastSeq: number, seq?: number): Promise<void> {
    this.#state = { ...this.#state, lastSeq };
    await this.show(seq);
    if (this.#state.error === undefined) await this.#follow();
  }

  /** Shows another part: around an event, or the end. Does nothing if it is shown already. */
  async show(seq?: number): Promise<void> {
    const { lastSeq, window, isLoading, firstKept = 1 } = this.#state;
    const block = seq === undefined ? blockOf(lastSeq) : blockOf(Math.max(firstKept, Math.min(seq, lastSeq)));
    if (!isLoading && window.first <= block && block <= window.last && this.#isWhole(block)) return;
    this.#jump += 1;
    const jump = this.#jump;
    this.#set({ isLoading: true, error: undefined });
    try {
      const wanted = windowAt(lastSeq, seq);
      const loaded = new Map<number, EventBlock>();
      await Promise.all(
        blocksIn(wanted).map(async (at) => loaded.set(at, await readBlock(this.#org, this.#id, at, lastSeq))),
      );
      if (jump !== this.#jump) return;
      const kept = Math.max(...[...loaded.values()].map((one) => one.firstKept ?? 0));
      const first = Math.min(wanted.last, Math.max(wanted.first, kept === 0 ? 0 : blockOf(kept)));
      this.#folds.clear();
      this.#ends.clear();
      for (let at = first; at <= wanted.last; at += 1) this.#keep(at, loaded.get(at)?.events ?? [], lastSeq);
      if (kept > 0) this.#set({ firstKept: kept });
      this.#arrange({ first, last: wanted.last }, { isLoading: false });
    } catch (error) {
      if (jump === this.#jump) this.#set({ error, isLoading: false });
    }
  }

  /**
   * Loads one more block at a side, if there is one; what is too far away at the other side goes. The last block is
   * read again if it had not ended when it was read.
   */
  async grow(side: 'earlier' | 'later'): Promise<void> {
    const { lastSeq, isLoading, hasEarlier, isAttached: isAtEnd } = this.#state;
    if (isLoading || this.#growing.has(side)) return;
    if (side === 'earlier' ? !hasEarlier : isAtEnd) return;
    this.#growing.add(side);
    const jump = this.#jump;
    try {
      const at = this.#next(side);
      const { events, firstKept } = await readBlock(this.#org, this.#id, at, lastSeq);
      if (jump !== this.#jump || at !== this.#next(side)) return;
      if (firstKept !== undefined) this.#set({ firstKept });
      this.#keep(at, events, lastSeq);
      const { window } = this.#state;
      this.#arrange(at === window.last ? window : grown(window, side), {});
    } catch {
      // The reader comes near the edge again with the next movement.
    } finally {
      this.#growing.delete(side);
    }
  }

  /** Returns the block to read when the window grows. */
  #next(side: 'earlier' | 'later'): number {
    const { first, last } = this.#state.window;
    if (side === 'earlier') return first - 1;
    return this.#isWhole(last) ? last + 1 : last;
  }

  /** Returns true if all events of a block are held that are known of. */
  #isWhole(block: number): boolean {
    return (this.#ends.get(block) ?? 0) >= Math.min(this.#state.lastSeq, rangeOf(block).to);
  }

  /** Returns true if the newest event is in a window: what arrives is then appended. */
  #isAttached(window: BlockWindow): boolean {
    return isAttached(window, this.#state.lastSeq) && this.#isWhole(window.last);
  }

  /** Told whether the reader follows the end; what arrives while they do not is counted. */
  setFollowed(isFollowed: boolean): void {
    this.#isFollowed = isFollowed;
    if (!isFollowed || this.#new.size === 0) return;
    this.#new.clear();
    this.#set({ newRows: 0 });
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LogState => this.#state;

  /** Follows the log for as long as the page is seen; a page that was away for long catches up when it is seen again. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const onLost = () => this.#set({ lostSince: this.#state.lostSince ?? Date.now() });
    try {
      let wasAway = false;
      for await (const seen of untilHidden(signal)) {
        if (wasAway) {
          onLost();
          await this.#catchUp(seen);
        }
        wasAway = true;
        const afterSeq = this.#state.lastSeq;
        const onOpen = () => this.#set({ lostSince: undefined });
        const events = apiOf(this.#org).followSession(this.#id, { afterSeq, signal: seen, onLost, onOpen });
        for await (const event of events) this.#add(event);
        if (!seen.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) this.#set({ error });
    }
  }

  /**
   * After a long absence, shows the end anew instead of everything that was missed. On a line that is too bad for this
   * question, the stream tells what was missed.
   */
  async #catchUp(seen: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([seen, AbortSignal.timeout(catchUpMs)]);
    const params = { path: { id: this.#id } };
    try {
      const { last_seq: lastSeq } = await unwrap(apiOf(this.#org).GET(sessionPath, { params, signal }));
      if (lastSeq - this.#state.lastSeq <= 2 * blockSize) return;
      this.#set({ lastSeq, isAttached: false });
    } catch {
      return;
    }
    if (this.#isFollowed) void this.show();
  }

  /** Collects events for some 16 ms: a stream of small pieces is drawn once a frame. */
  #add(event: SessionEvent): void {
    this.#arrived.push(event);
    this.#timer ??= setTimeout(() => {
      const events = this.#arrived;
      this.#arrived = [];
      this.#timer = undefined;
      this.#take(events);
    }, 16);
  }

  #take(arrived: readonly SessionEvent[]): void {
    const before = this.#state;
    const events = arrived.filter(({ seq }) => seq > before.lastSeq);
    const lastSeq = events.at(-1)?.seq ?? before.lastSeq;
    if ((events[0]?.seq ?? 0) > before.lastSeq + 1) {
      // A hole is never shown: what is missing is read with its block.
      this.#set({ lastSeq, isAttached: false });
      if (this.#isFollowed) void this.show();
      return;
    }
    const more = fold(events);
    this.#recent = [...this.#recent, ...events].slice(-2 * blockSize);
    if (!this.#isFollowed) for (const { key } of more.rows) if (!before.fold.places.has(key)) this.#new.add(key);
    const change = { lastSeq, newRows: this.#new.size, lostSince: undefined };
    // A full window would lose what the reader reads: it ends here, and they come to the rest later.
    const isFull = blockOf(lastSeq) - before.window.first >= mostBlocks && !this.#isFollowed;
    if (!before.isAttached || before.isLoading || isFull) {
      this.#state = { ...before, ...change };
      this.#set({ isAttached: this.#isAttached(before.window) });
      return;
    }
    for (const [at, part] of byBlock(events)) {
      this.#folds.set(at, joinFolds(this.#folds.get(at) ?? emptyFold, fold(part)));
      this.#ends.set(at, part.at(-1)?.seq ?? 0);
    }
    const last = blockOf(lastSeq);
    if (last - before.window.first >= mostBlocks) {
      this.#arrange({ first: last - mostBlocks + 1, last }, change);
      return;
    }
    this.#set({ ...change, fold: joinFolds(before.fold, more), window: { first: before.window.first, last } });
  }

  /** Shows a window whose blocks are loaded. */
  #arrange(window: BlockWindow, change: Partial<LogState>): void {
    for (const held of [this.#folds, this.#ends])
      for (const at of held.keys()) if (at < window.first || at > window.last) held.delete(at);
    const parts = blocksIn(window).map((at) => this.#folds.get(at) ?? emptyFold);
    const { firstKept = 1 } = this.#state;
    this.#state = { ...this.#state, ...change };
    this.#set({
      fold: foldOf(parts),
      window,
      isAttached: this.#isAttached(window),
      hasEarlier: window.first > blockOf(firstKept),
    });
  }

  /** Keeps a block as it was read when events up to `known` were known of, with what arrived since. */
  #keep(block: number, events: readonly SessionEvent[], known: number): void {
    const last = events.at(-1)?.seq ?? 0;
    let end = Math.max(last, Math.min(known, rangeOf(block).to));
    const since: SessionEvent[] = [];
    for (const event of this.#recent) {
      if (event.seq !== end + 1 || blockOf(event.seq) !== block) continue;
      since.push(event);
      end += 1;
    }
    this.#folds.set(block, fold([...events, ...since]));
    this.#ends.set(block, end);
    if (last > this.#state.lastSeq) this.#state = { ...this.#state, lastSeq: last };
  }

  #set(change: Partial<LogState>): void {
    if (this.#stop.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function blocksIn({ first, last }: BlockWindow): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function byBlock(events: readonly SessionEvent[]): Map<number, SessionEvent[]> {
  return Map.groupBy(events, ({ seq }) => Math.floor((seq - 1) / blockSize));
}
