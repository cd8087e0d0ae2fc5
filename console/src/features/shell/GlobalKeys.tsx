import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, type Dispatch, type SetStateAction } from 'react';
import { useActions } from '../../lib/actions.ts';
import { selfQuery } from './organizations.ts';
import { sections } from './sections.ts';
import type { RailWidth } from './useRail.ts';

const loadPalette = async () => ({ default: (await import('./Palette.tsx')).Palette });
const Palette = lazy(loadPalette);
const Keys = lazy(async () => ({ default: (await import('./Keys.tsx')).Keys }));

export type Opened = 'palette' | 'keys' | undefined;

interface GlobalKeysProps {
  org: string;
  open: Opened;
  setOpen: Dispatch<SetStateAction<Opened>>;
  rail: RailWidth;
}

/** What can be done on every page, by key and from the palette. */
export function GlobalKeys({ org, open, setOpen, rail }: GlobalKeysProps) {
  const { data: self } = useQuery(selfQuery(org));
  const navigate = useNavigate();
  const can = (scope: string) => self?.scopes.includes(scope) === true;
  const links = sections.flatMap((section) => section.links).filter(({ scope }) => can(scope));
  useActions(
    'Everywhere',
    [
      { label: 'Search and do', key: '$mod+k', keyOnly: true, act: () => setOpen('palette') },
      { label: 'All keys', key: '[Shift]+?', act: () => setOpen('keys') },
      ...(can('run')
        ? [{ label: 'New session', key: 'c', act: () => void navigate({ to: '/$org/sessions/new', params: { org } }) }]
        : []),
      { label: 'Search in the list', key: '[Shift]+/', keyOnly: true, act: search },
      { label: 'Up', key: 'u', keyOnly: true, act: up },
      ...(rail.toggle === undefined
        ? []
        : [{ label: rail.isNarrow ? 'Widen the navigation' : 'Narrow the navigation', key: '[', act: rail.toggle }]),
    ],
    true,
  );
  useActions(
    'Go to',
    links.map(({ to, label, key }) => ({
      label,
      ...(key === undefined ? {} : { key: `g ${key}` }),
      act: () => void navigate({ to, params: { org } }),
    })),
    true,
  );
  useEffect(() => {
    // What is typed right after ⌘K should find the palette there.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), 2_000);
    return () => clearTimeout(timer);
  }, []);
  // A dialog tells late that it closed: another may be open by then.
  const closeOf = (name: Opened) => () => setOpen((now) => (now === name ? undefined : now));
  return (
    <Suspense>
      {open === 'palette' && <Palette org={org} close={closeOf('palette')} />}
      {open === 'keys' && <Keys org={org} close={closeOf('keys')} />}
    </Suspense>
  );
}

function search(): void {
  document.querySelector<HTMLInputElement>('main input[type=search]')?.focus();
}

function up(): void {
  document.querySelector<HTMLElement>('main [data-up] a, main header a[aria-label^="All "]')?.click();
}
