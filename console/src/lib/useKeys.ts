import { useEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';

/**
 * Binds keys of the page, in the notation of tinykeys: `n`, `g s`, `$mod+k`. Keys without a modifier are off while a
 * field has the focus, and while a dialog or a menu is open.
 */
export function useKeys(bindings: Readonly<Record<string, () => void>>): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  const names = Object.keys(bindings).join('\n');
  useEffect(() => {
    const bound = names.split('\n').map((name): [string, (event: KeyboardEvent) => void] => [
      name,
      (event) => {
        if (event.defaultPrevented || (!name.includes('$mod') && isTyping(event))) return;
        event.preventDefault();
        latest.current[name]?.();
      },
    ]);
    return tinykeys(window, Object.fromEntries(bound));
  }, [names]);
}

function isTyping({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing || document.querySelector('dialog[open], [role=menu]') !== null) return true;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable=true]') !== null;
}
