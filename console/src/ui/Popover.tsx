import { Popover as Radix } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { buttonClass } from './Button.tsx';

export interface PopoverProps {
  /** What is on the button that opens it. */
  label: ReactNode;
  /** The name of what opens. */
  title: string;
  children: (close: () => void) => ReactNode;
}

/** A panel below a button, for a few fields. */
export function Popover({ label, title, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger className={buttonClass()}>{label}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={title}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // The key first closes the list of a field.
          onEscapeKeyDown={(event) => {
            if (document.activeElement?.ariaExpanded === 'true') event.preventDefault();
          }}
          className="z-10 max-h-[min(80dvh,var(--radix-popover-content-available-height))] w-80 max-w-[calc(100vw-16px)] overflow-y-auto rounded-panel border border-line bg-raised p-4 shadow-float"
        >
          {children(() => setOpen(false))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
