/** Lets so many do something at once; the others wait in line. */
export function createPlaces(count: number) {
  let free = count;
  const line: (() => void)[] = [];
  return {
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void line.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
