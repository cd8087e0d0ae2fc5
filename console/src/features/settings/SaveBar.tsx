import { useEffect, useEffectEvent } from 'react';
import { Button } from '../../ui/Button.tsx';
import { changeText } from './draft.ts';
import type { Draft } from './useDraft.ts';

interface SaveBarProps {
  draft: Draft;
  isPending: boolean;
  /** Undefined while it cannot be saved. */
  save: (() => void) | undefined;
}

/** Says what will change, and saves it: with ⌘S, too. */
export function SaveBar({ draft, isPending, save }: SaveBarProps) {
  const { changed, before, chosen, base } = draft;
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    takeOver();
    // After the draft has what was half written.
    setTimeout(onSave);
  });
  const onSave = useEffectEvent(() => {
    if (!isPending) save?.();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (changed.length === 0) return null;
  return (
    <div
      role="region"
      aria-label="Changes"
      className="sticky bottom-(--thumb-bar) z-[1] flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-raised px-4 py-3 sm:px-6"
    >
      <div className="max-h-32 min-w-0 flex-1 basis-64 overflow-y-auto">
        <p className="font-medium">{changed.length === 1 ? '1 change' : `${changed.length} changes`}</p>
        <ul className="text-ink-2">
          {changed.map((field) => (
            <li key={field.key} className="break-words">
              {field.title}: <span className="mono">{changeText(field, before, chosen)}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className="flex gap-2">
        <Button onClick={() => draft.start(base)} disabled={isPending}>
          Discard
        </Button>
        <Button look="primary" onClick={save} disabled={isPending || save === undefined}>
          {isPending ? 'Saving …' : 'Save'}
          <kbd aria-hidden className="hidden opacity-70 sm:inline">
            {isApple ? '⌘S' : 'Ctrl S'}
          </kbd>
        </Button>
      </div>
    </div>
  );
}

/** Leaves the field and comes back: a field takes over what is half written when it is left. */
function takeOver(): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return;
  activeElement.blur();
  activeElement.focus();
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
