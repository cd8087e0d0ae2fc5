import type { SessionEvent } from '@guildhall/client';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { emptyFold, fold, joinFolds, type Fold } from './fold.ts';

/** What is loaded of a session's log: one run of events without a gap. */
export interface LogState {
  fold: Fold;
  /** The number of events before the loaded ones. */
  before: number;
  /** True until the newest events are loaded. */
  isLoading: boolean;
  isLost: boolean;
  /** The reason why no more comes. */
  error: unknown;
}

const block = 200;
const path = '/v3/organizations/{orgId}/sessions/{id}/events';

/** Holds the end of a session's log: loads the newest events, follows it, and loads earlier ones on request. */
export class SessionLog {
  readonly #org: string;
  readonly #id: string;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: LogState = { fold: emptyFold, before: 0, isLoading: true, isLost: false, error: undefined };
  #arrived: SessionEvent[] = [];
  #frame: number | undefined;

  constructor(org: string, id: string) {
    this.#org = org;
    this.#id = id;
  }

  /** Begins with the last two blocks before `lastSeq`. */
  async open(lastSeq: number): Promise<void> {
    const { signal } = this.#stop;
    try {
      const before = Math.max(0, Math.ceil(lastSeq / block) * block - 2 * block);
      const [older, newer] = await Promise.all([this.#read(before), this.#read(before + block)]);
      this.#set({ fold: fold([...older, ...newer]), before, isLoading: false });
      const afterSeq = (newer.at(-1) ?? older.at(-1))?.seq ?? before;
      const onLost = () => this.#set({ isLost: true });
      for await (const event of apiOf(this.#org).followSession(this.#id, { afterSeq, signal, onLost }))
        this.#add(event);
    } catch (error) {
      if (!signal.aborted) this.#set({ error, isLoading: false });
    }
  }

  /** Loads the block before the loaded events. */
  async loadEarlier(): Promise<void> {
    const { before } = this.#state;
    const start = Math.max(0, before - block);
    const earlier = await this.#read(start);
    if (this.#state.before !== before) return;
    const taken = fold(earlier.filter(({ seq }) => seq <= before));
    this.#set({ before: start, fold: joinFolds(taken, this.#state.fold) });
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#frame);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LogState => this.#state;

  async #read(afterSeq: number): Promise<SessionEvent[]> {
    const query = { after_seq: afterSeq, first: block };
    const { signal } = this.#stop;
    return (await unwrap(apiOf(this.#org).GET(path, { params: { path: { id: this.#id }, query }, signal }))).items;
  }

  /** Collects events for some 16 ms: a stream of small pieces is drawn once a frame. */
  #add(event: SessionEvent): void {
    this.#arrived.push(event);
    this.#frame ??= setTimeout(() => {
      const events = this.#arrived;
      this.#arrived = [];
      this.#frame = undefined;
      this.#set({ fold: joinFolds(this.#state.fold, fold(events)), isLost: false });
    }, 16);
  }

  #set(change: Partial<LogState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
