/** Limits an action to once per `ms`: for log lines of repeated failures. */
export function atMostEvery(ms: number): (act: () => void) => void {
  let lastAt = -Infinity;
  return (act) => {
    const now = performance.now();
    if (now - lastAt < ms) return;
    lastAt = now;
    act();
  };
}
