import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { cx } from './cx.ts';
import { toasts } from './toasts.ts';

/** The passing notes, at the lower edge of the page. */
export function Toasts() {
  const notes = useSyncExternalStore(toasts.subscribe, toasts.get);
  return (
    <Toast.Provider swipeDirection="down" duration={6_000}>
      {notes.map(({ id, text, tone }) => (
        <Toast.Root
          key={id}
          duration={tone === 'bad' ? 15_000 : 6_000}
          onOpenChange={(isOpen) => {
            if (!isOpen) toasts.close(id);
          }}
          className={cx(
            'flex items-start gap-2 rounded-panel border border-line bg-raised px-3 py-2 shadow-float',
            tone === 'bad' && 'border-l-4 border-l-bad',
          )}
        >
          <Toast.Description className="min-w-0 flex-1 break-words">{text}</Toast.Description>
          <Toast.Close aria-label="Close" className="grid size-6 place-items-center text-ink-3 pointer-coarse:size-11">
            <X size={16} strokeWidth={1.5} aria-hidden />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed right-4 bottom-[calc(var(--thumb-bar)+16px)] z-20 flex w-96 max-w-[calc(100vw-32px)] flex-col gap-2" />
    </Toast.Provider>
  );
}
