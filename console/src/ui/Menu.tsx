import { MoreHorizontal, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { cx } from './cx.ts';

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  /** It cannot be undone, or ends something. */
  danger?: boolean;
  select: () => void;
}

/** The further actions of a thing, behind `⋯`; shows nothing if there are none. */
export function Menu({ label, items }: { label: string; items: readonly (MenuItem | false)[] }) {
  const shown = items.filter((item) => item !== false);
  if (shown.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={label}
        className="inline-grid size-8 place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        <MoreHorizontal size={16} strokeWidth={1.5} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-10 min-w-44 rounded-panel border border-line bg-raised p-1 shadow-float"
        >
          {shown.map(({ label: name, icon: Icon, danger, select }) => (
            <DropdownMenu.Item
              key={name}
              onSelect={select}
              className={cx(
                'flex h-8 cursor-pointer items-center gap-2 rounded-control px-2 outline-none data-highlighted:bg-sunken pointer-coarse:h-11',
                danger === true && 'text-bad',
              )}
            >
              {Icon !== undefined && <Icon size={16} strokeWidth={1.5} aria-hidden />}
              {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
