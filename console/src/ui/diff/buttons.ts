const known = new WeakSet<ShadowRoot>();

/** Gives the viewer's buttons that show hidden lines a name, and lets the keyboard reach and press them. */
export function nameButtons({ shadowRoot: root }: HTMLElement): void {
  if (root === null) return;
  for (const button of root.querySelectorAll('[data-expand-button]')) {
    const hidden = button.closest('[data-separator]')?.querySelector('[data-unmodified-lines]')?.textContent;
    button.setAttribute('aria-label', `Show ${hidden ?? 'hidden lines'}`);
    button.setAttribute('tabindex', '0');
  }
  if (known.has(root)) return;
  known.add(root);
  root.addEventListener('keydown', press);
}

function press(event: Event): void {
  if (!(event instanceof KeyboardEvent) || !['Enter', ' '].includes(event.key)) return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || !target.hasAttribute('data-expand-button')) return;
  event.preventDefault();
  target.click();
}
