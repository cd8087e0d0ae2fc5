import { useEffect, useState } from 'react';
import type { Target } from './place.ts';

const tintMs = 1_500;

/** Rows that an address led to, for as long as they are marked. */
export function useTint() {
  const [tinted, tint] = useState<Target>();
  useEffect(() => {
    if (tinted === undefined) return undefined;
    const timer = setTimeout(() => tint(undefined), tintMs);
    return () => clearTimeout(timer);
  }, [tinted]);
  return { tinted, tint };
}
