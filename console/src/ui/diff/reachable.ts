const known = new WeakSet<ShadowRoot>();

/** Makes what the viewer draws usable without a pointer: its buttons have names and keys, and wide lines can be scrolled. */
export function makeReachable({ shadowRoot: root }: HTMLElement): void {
  if (root === null) return;
  for (const button of root.querySelectorAll('[data-expand-button]')) {
    const hidden = button.closest('[data-separator]')?.querySelector('[data-unmodified-lines]')?.textContent;
    button.setAttribute('aria-label', `Show ${hidden ?? 'hidden lines'}`);
    button.setAttribute('tabindex', '0');
  }
  for (const column of root.querySelectorAll('[data-code]'))
    if (column.scrollWidth > column.clientWidth) column.setAttribute('tabindex', '0');
    else column.removeAttribute('tabindex');
  hideUtility(root);
  if (known.has(root)) return;
  known.add(root);
  root.addEventListener('keydown', press);
  new MutationObserver(() => hideUtility(root)).observe(root, { childList: true, subtree: true });
}

/** The button at a line's number is for pointers only, and comes and goes with them; a field takes a number instead. */
function hideUtility(root: ShadowRoot): void {
  const button = root.querySelector('[data-utility-button]:not([aria-hidden])');
  button?.setAttribute('aria-hidden', 'true');
  button?.setAttribute('tabindex', '-1');
}

function press(event: Event): void {
  if (!(event instanceof KeyboardEvent) || !['Enter', ' '].includes(event.key)) return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || !target.hasAttribute('data-expand-button')) return;
  event.preventDefault();
  target.click();
}
