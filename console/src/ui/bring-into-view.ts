/**
 * Scrolls a box, and nothing else, as far as a part of it is out of view. `scrollIntoView` would also scroll the page, and
 * let the first Tab begin at the part instead of the top of the page.
 */
export function bringIntoView(box: Element, part: Element): void {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  box.scrollTop += Math.max(inner.bottom - outer.bottom, 0) + Math.min(inner.top - outer.top, 0);
}
