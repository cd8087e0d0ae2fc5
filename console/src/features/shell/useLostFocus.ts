import { useEffect } from 'react';

const controls = 'a[href], button, summary, [tabindex="0"]';
const fields = 'input:not([type=hidden]), textarea, select';

/** A list that scrolls takes away rows that nobody removed. */
const scrollMs = 300;

/**
 * Puts the focus on the next thing when the one that has it is removed, such as a row or a filter: on the next row, on what
 * follows the last one, or on what is before it. A new page has its own place for the focus.
 */
export function useLostFocus(): void {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let last: Element | undefined;
    let scrolledAt = -scrollMs;
    const options = { signal, capture: true };
    addEventListener('focusin', ({ target }) => (last = target instanceof Element ? target : undefined), options);
    // Who clicks beside everything wants the focus nowhere.
    addEventListener(
      'pointerdown',
      ({ target }) => {
        if (target instanceof Node && last?.contains(target) !== true) last = undefined;
      },
      options,
    );
    addEventListener('scroll', ({ timeStamp }) => (scrolledAt = timeStamp), options);
    for (const act of ['keydown', 'click']) addEventListener(act, () => (scrolledAt = -scrollMs), options);
    const observer = new MutationObserver((records) => {
      if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
      const lost = last;
      last = undefined;
      if (performance.now() - scrolledAt < scrollMs) return;
      const record = records.find(
        ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(lost)),
      );
      if (record !== undefined) nextTo(record)?.focus({ preventScroll: true });
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, []);
}

/** Returns what is nearest to the place of what was removed: what follows it, else what is before it, else outside. */
function nextTo({ target, nextSibling, previousSibling }: MutationRecord): HTMLElement | undefined {
  const page = document.querySelector('#page');
  let [parent, after, before]: [Node | null, Node | null, Node | null] = [target, nextSibling, previousSibling];
  while (parent !== null && parent !== page && page?.contains(parent) === true) {
    const found = firstIn(after, 'nextSibling') ?? firstIn(before, 'previousSibling');
    if (found !== undefined) return found;
    [after, before, parent] = [parent.nextSibling, parent.previousSibling, parent.parentNode];
  }
  return undefined;
}

function firstIn(start: Node | null, way: 'nextSibling' | 'previousSibling'): HTMLElement | undefined {
  // A field would bring up the keyboard of a phone.
  const wanted = matchMedia('(pointer: coarse)').matches ? controls : `${controls}, ${fields}`;
  for (let node = start; node !== null; node = node[way]) {
    if (!(node instanceof HTMLElement) || !node.isConnected) continue;
    const all = [node, ...node.querySelectorAll<HTMLElement>(wanted)];
    const found = all.find((one) => one.matches(wanted) && !one.matches(':disabled') && one.checkVisibility());
    if (found !== undefined) return found;
  }
  return undefined;
}
