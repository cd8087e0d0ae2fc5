let held = 0;

/** Counts a page with input that nobody saved, until the returned function is called. */
export function holdUnsaved(): () => void {
  held += 1;
  return () => {
    held -= 1;
  };
}

/** Returns true while the page has input that would be lost without it. */
export function hasUnsaved(): boolean {
  return held > 0;
}
