import { useSyncExternalStore } from 'react';
import { recall, remember } from './storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  const stored = recall('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Shows the page in a theme, and remembers it. */
export function setTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? undefined : theme);
  show();
}

/** Shows the remembered theme, and follows the system's where that is chosen. */
export function followTheme(): void {
  dark.addEventListener('change', show);
  show();
}

/** The chosen theme, and the one that is shown. */
export function useTheme(): { theme: Theme; isDark: boolean } {
  const theme = useSyncExternalStore(subscribe, currentTheme);
  return { theme, isDark: useSyncExternalStore(subscribe, isDark) };
}

function isDark(): boolean {
  const theme = currentTheme();
  return theme === 'system' ? dark.matches : theme === 'dark';
}

function show(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
