import { useEffect } from 'react';

const clipping = '.truncate, .line-clamp-2, .line-clamp-3';

/** Shows the whole of a text that its place clips, as a tooltip, when the pointer comes to it. */
export function useWholeText(): void {
  useEffect(() => {
    const told = new WeakSet<Element>();
    const tell = ({ target }: Event) => {
      if (!(target instanceof Element)) return;
      const titled = target.closest('[title]');
      if (titled !== null && !told.has(titled)) return;
      titled?.removeAttribute('title');
      const place = clippedAround(target);
      if (place === undefined) return;
      place.title = place.innerText;
      told.add(place);
    };
    addEventListener('pointerover', tell);
    return () => removeEventListener('pointerover', tell);
  }, []);
}

/** Returns the innermost place around that clips its text. */
function clippedAround(target: Element): HTMLElement | undefined {
  const place = target.closest<HTMLElement>(clipping);
  if (place === null) return undefined;
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = place;
  const isClipped = place.matches('.truncate') ? scrollWidth > clientWidth : scrollHeight > clientHeight;
  if (isClipped) return place;
  return place.parentElement === null ? undefined : clippedAround(place.parentElement);
}
