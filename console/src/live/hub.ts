import { followStream, type LiveEvent, type Line } from './stream.ts';

/** What a tab tells the worker. */
export type FromTab = { kind: 'follow'; url: string } | { kind: 'leave' } | { kind: 'line'; is: NetworkNews };
/** What the worker tells a tab. */
export type ToTab = { kind: 'event'; event: LiveEvent | 'reset' } | { kind: 'connection'; isOpen: boolean };

export const networkNews = ['online', 'offline', 'seen'] as const;
export type NetworkNews = (typeof networkNews)[number];

/** The side of a tab's port that the worker has. */
export type Tab = Pick<MessagePort, 'postMessage'>;

interface Shared {
  tabs: Set<Tab>;
  stop: AbortController;
  /** Undefined until it is known. */
  isOpen: boolean | undefined;
}

/** Follows each stream once, for all tabs that want it and for as long as there is one. */
export class Hub {
  readonly #streams = new Map<string, Shared>();
  readonly #line: Line = new EventTarget();
  readonly #follow: typeof followStream;
  #isOnline: boolean | undefined;

  constructor(follow = followStream) {
    this.#follow = follow;
  }

  hear(tab: Tab, message: FromTab): void {
    if (message.kind === 'leave') this.#leave(tab);
    else if (message.kind === 'line') this.#pass(message.is);
    else this.#join(tab, message.url);
  }

  /** Every tab tells the same. */
  #pass(news: NetworkNews): void {
    if (news !== 'seen') {
      const isOnline = news === 'online';
      if (isOnline === this.#isOnline) return;
      this.#isOnline = isOnline;
    }
    this.#line.dispatchEvent(new Event(news));
  }

  #join(tab: Tab, url: string): void {
    const known = this.#streams.get(url);
    if (known !== undefined) {
      known.tabs.add(tab);
      if (known.isOpen !== undefined) tell([tab], { kind: 'connection', isOpen: known.isOpen });
      return;
    }
    const shared: Shared = { tabs: new Set([tab]), stop: new AbortController(), isOpen: undefined };
    this.#streams.set(url, shared);
    const over = this.#follow({
      url,
      signal: shared.stop.signal,
      line: this.#line,
      onEvent: (event) => tell(shared.tabs, { kind: 'event', event }),
      onConnection: (isOpen) => {
        shared.isOpen = isOpen;
        tell(shared.tabs, { kind: 'connection', isOpen });
      },
    });
    // The server refused it: whoever asks next may be somebody else.
    void over.finally(() => this.#streams.get(url) === shared && this.#streams.delete(url));
  }

  #leave(tab: Tab): void {
    for (const [url, { tabs, stop }] of this.#streams) {
      tabs.delete(tab);
      if (tabs.size > 0) continue;
      this.#streams.delete(url);
      stop.abort();
    }
  }
}

function tell(tabs: Iterable<Tab>, message: ToTab): void {
  for (const tab of tabs) tab.postMessage(message);
}
