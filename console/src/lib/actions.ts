import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { tinykeys } from 'tinykeys';
import { recall, remember } from './storage.ts';

/** Something that the page or the console can do, by key or from the palette. */
export interface Action {
  label: string;
  /** As tinykeys writes it: `a`, `g s`, `$mod+k`. Keys without a modifier are off in fields, and can be turned off. */
  key?: string;
  act: () => void;
  /** Only by its key, such as a step in a list: the palette does not offer it. */
  keyOnly?: boolean;
}

export interface ActionGroup {
  title: string;
  isEverywhere: boolean;
  actions: readonly Action[];
}

let groups: readonly ActionGroup[] = [];
const listeners = new Set<() => void>();

function setGroups(next: readonly ActionGroup[]): void {
  groups = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Everything that can be done here now: what the page offers, then what is always there. */
export function useActionGroups(): readonly ActionGroup[] {
  return useSyncExternalStore(subscribe, () => groups);
}

/**
 * Offers actions while the component is shown. A page's key wins over the same key that acts everywhere.
 *
 * ```tsx
 * useActions('Session', [{ label: 'Reply', key: 'r', act: () => field.current?.focus() }]);
 * ```
 */
export function useActions(title: string, actions: readonly Action[], isEverywhere = false): void {
  const latest = useRef(actions);
  // Keys act as soon as the page that offers them is drawn.
  useLayoutEffect(() => {
    latest.current = actions;
  });
  const shape = JSON.stringify(actions.map(({ label, key, keyOnly }) => [label, key, keyOnly]));
  useLayoutEffect(() => {
    const offered = latest.current.map((action, at) => ({ ...action, act: () => latest.current[at]?.act() }));
    const group = { title, isEverywhere, actions: offered };
    setGroups([...groups, group].toSorted((a, b) => Number(a.isEverywhere) - Number(b.isEverywhere)));
    // The page hears a key before the window does.
    const unbind = bind(offered, isEverywhere ? window : document.documentElement);
    return () => {
      unbind();
      setGroups(groups.filter((one) => one !== group));
    };
  }, [title, shape, isEverywhere]);
}

function bind(actions: readonly Action[], target: Window | HTMLElement): () => void {
  const bindings = actions.flatMap(({ key, act }) => {
    if (key === undefined) return [];
    const isLetter = !key.includes('$mod');
    const handle = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (isLetter && (!areLettersOn() || isTaken(event))) return;
      // `g c` goes somewhere; its `c` alone would do something else.
      if (isLetter && !key.includes(' ') && isSecond(event)) return;
      event.preventDefault();
      act();
    };
    return [[key, handle] as const];
  });
  return tinykeys(target, Object.fromEntries(bindings), { ignore: () => false });
}

const typed = new Set([
  'text',
  'search',
  'email',
  'url',
  'password',
  'number',
  'date',
  'datetime-local',
  'time',
  'tel',
]);

/** Returns true if a key belongs to a field, a menu or a dialog. */
function isTaken(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return typed.has(target.type);
  return (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    target.closest('[role=menu], [role=listbox], [role=dialog]') !== null
  );
}

const sequenceMs = 1_000;
let last = { key: '', at: 0 };
let beforeLast = last;

addEventListener(
  'keydown',
  ({ key, timeStamp }) => {
    beforeLast = last;
    last = { key, at: timeStamp };
  },
  { capture: true },
);

function isSecond({ timeStamp }: KeyboardEvent): boolean {
  return beforeLast.key === 'g' && timeStamp - beforeLast.at < sequenceMs;
}

/** Returns true unless the person turned off keys without a modifier. */
export function areLettersOn(): boolean {
  return recall('letters') !== 'off';
}

export function turnLetters(on: boolean): void {
  remember('letters', on ? undefined : 'off');
  for (const listener of listeners) listener();
}

/** The same, for a switch. */
export function useLetters(): boolean {
  return useSyncExternalStore(subscribe, areLettersOn);
}
