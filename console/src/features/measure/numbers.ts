import { count } from '../../lib/format.ts';

/** Returns a large number with three digits: `12.4k`, `3.1M`; minutes and small ones as they are. */
export function amount(value: number): string {
  if (value < 1_000) return String(Math.round(value * 10) / 10);
  const [size, unit] =
    value < 1_000_000 ? [1_000, 'k'] : value < 1_000_000_000 ? [1_000_000, 'M'] : [1_000_000_000, 'G'];
  const scaled = value / size;
  return `${scaled < 100 ? Math.round(scaled * 10) / 10 : count(Math.round(scaled))}${unit}`;
}

/** Returns a share as `71 %`; null, where there is nothing that it could be a share of, is `no cases`. */
export function share(rate: number | null): string {
  return rate === null ? noCases : `${Math.round(rate * 100)} %`;
}

export const noCases = 'no cases';
