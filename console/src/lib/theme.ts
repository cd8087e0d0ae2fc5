import { recall, remember } from './storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const dark = matchMedia('(prefers-color-scheme: dark)');

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

function show(): void {
  const theme = currentTheme();
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}
