/** Reproducible random choices: the same seed makes the same choices. */
export interface Random {
  /** Returns a number of at least `low` and less than `high`. */
  between(low: number, high: number): number;
  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Returns `count` different items in their order. */
  sample<T>(items: readonly T[], count: number): T[];
}

/** Mulberry32: small, and good enough to choose moments. `stream` separates independent sequences of choices. */
export function createRandom(seed: number, stream = 0): Random {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b9)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between: (low, high) => low + next() * (high - low),
    integer,
    chance: (probability) => next() < probability,
    pick(items) {
      const found = items[integer(0, items.length - 1)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
    sample(items, count) {
      let missing = Math.min(count, items.length);
      return items.filter((_, index) => {
        const taken = next() < missing / (items.length - index);
        if (taken) missing -= 1;
        return taken;
      });
    },
  };
}
