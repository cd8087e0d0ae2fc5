import type { RefObject } from 'react';
import { useActions } from '../lib/actions.ts';

/** Marks what `j` and `k` step through: its first link takes the focus, its checkbox is what `x` ticks. */
export const listItem = { 'data-list-item': '' };

/** Steps through the items of a list by `j` and `k`, so that Enter opens one; `x` selects it where that is offered. */
export function useListKeys(list: RefObject<HTMLElement | null>, canSelect = false): void {
  const move = (by: 1 | -1) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-list-item]') ?? [])].toSorted(byPlace);
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const item = at === -1 ? items.find(isInView) : items[at + by];
    const link = item?.querySelector<HTMLElement>('a[href]');
    link?.focus({ preventScroll: true });
    item?.scrollIntoView({ block: 'nearest' });
  };
  const select = () => {
    const item = document.activeElement?.closest('[data-list-item]');
    if (list.current?.contains(item ?? null) === true)
      item?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
  };
  useActions('List', [
    { label: 'Next item', key: 'j', keyOnly: true, act: () => move(1) },
    { label: 'Previous item', key: 'k', keyOnly: true, act: () => move(-1) },
    ...(canSelect ? [{ label: 'Select the item', key: 'x', keyOnly: true, act: select }] : []),
  ]);
}

/** Items of a virtual list are not in their order in the document; columns are read one after the other. */
function byPlace(a: HTMLElement, b: HTMLElement): number {
  const [one, other] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
  return Math.abs(one.left - other.left) > 1 ? one.left - other.left : one.top - other.top;
}

function isInView(item: HTMLElement): boolean {
  return item.getBoundingClientRect().top >= 0;
}
