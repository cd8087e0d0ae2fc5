/** Does what it is given, unless it did so less than `ms` ago: for log lines of what fails again and again. */
export function atMostEvery(ms: number): (act: () => void) => void {
  let lastAt = -Infinity;
  return (act) => {
    const now = performance.now();
    if (now - lastAt < ms) return;
    lastAt = now;
    act();
  };
}
