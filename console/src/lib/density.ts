import { useSyncExternalStore } from 'react';
import { recall, remember } from './storage.ts';

export type Density = 'normal' | 'dense';

/** Rows that a finger can hit. */
const forFingers = matchMedia('(pointer: coarse), (max-width: 639px)');
const heights = { normal: 40, dense: 32 } as const;
const fingerHeight = 48;
const listeners = new Set<() => void>();

export function currentDensity(): Density {
  return recall('density') === 'dense' ? 'dense' : 'normal';
}

/** Makes the rows of tables as high as chosen, and remembers it. */
export function setDensity(density: Density): void {
  remember('density', density === 'dense' ? density : undefined);
  for (const listener of listeners) listener();
}

export function useDensity(): Density {
  return useSyncExternalStore(subscribe, currentDensity);
}

/** The height of a table's row in pixels: as chosen, higher on touch and on narrow screens. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => (forFingers.matches ? fingerHeight : heights[currentDensity()]));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  forFingers.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    forFingers.removeEventListener('change', listener);
  };
}
