let isSet = false;

/**
 * Gives the page's nonce to every style element that a library creates from here on: the policy lets no other style
 * element apply. Text of agents and repositories never becomes an element through this function.
 */
export function withNonce(): void {
  if (isSet) return;
  isSet = true;
  const nonce = document.querySelector('meta[name=csp-nonce]')?.getAttribute('content') ?? '';
  const create = document.createElement.bind(document);
  const createWithNonce = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  Object.defineProperty(document, 'createElement', { value: createWithNonce, configurable: true, writable: true });
}
