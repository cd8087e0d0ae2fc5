import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, Moon, PanelLeftClose, PanelLeftOpen, Search, Sun, User, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../../lib/api.ts';
import { signInPath } from '../../lib/errors.ts';
import { count } from '../../lib/format.ts';
import { useWaiting } from '../../lib/title.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { bringIntoView } from '../../ui/bring-into-view.ts';
import { usePlaced } from '../../ui/usePlaced.ts';
import { countsQuery } from '../sessions/queries.ts';
import { Binding } from './Binding.tsx';
import { organizationsQuery, selfQuery } from './organizations.ts';
import { usePreferences } from './preferences.ts';
import { sections } from './sections.ts';
import type { RailWidth } from './useRail.ts';
import { useSection } from './useSection.ts';

interface RailProps {
  org: string;
  search: () => void;
  width: RailWidth;
}

/** The navigation: at the left, or behind a button on top of a narrow screen. */
export function Rail({ org, search, width: { isNarrow, toggle } }: RailProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const page = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => setOpen(false), [page]);
  return (
    <header
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
      className={cx(
        'flex shrink-0 flex-col border-b border-line bg-canvas sm:sticky sm:top-0 sm:h-dvh sm:border-r sm:border-b-0',
        isNarrow ? 'sm:w-14' : 'sm:w-58',
      )}
    >
      <div className="flex items-center gap-2 px-3 py-2 sm:pt-3">
        {!isNarrow && <p className="flex-1 px-2 text-read font-bold text-accent">Guildhall</p>}
        {toggle !== undefined && <WidthButton isNarrow={isNarrow} toggle={toggle} />}
        <Button
          ref={button}
          look="bare"
          aria-expanded={isOpen}
          aria-controls="rail"
          aria-label="Menu"
          onClick={() => setOpen(!isOpen)}
          className="px-2 sm:hidden"
        >
          {isOpen ? (
            <X size={20} strokeWidth={1.5} aria-hidden />
          ) : (
            <MenuIcon size={20} strokeWidth={1.5} aria-hidden />
          )}
        </Button>
      </div>
      <div
        id="rail"
        className={cx('min-h-0 flex-1 flex-col gap-2 px-3 pb-3 sm:flex', isOpen ? 'flex max-h-[80dvh]' : 'hidden')}
      >
        <Button
          onClick={() => {
            setOpen(false);
            search();
          }}
          title={isNarrow ? 'Search' : undefined}
          className={cx('w-full shrink-0 text-ink-3', !isNarrow && 'justify-start')}
        >
          <Search size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
          <span className={isNarrow ? 'sr-only' : 'flex-1 text-left'}>Search</span>
          {!isNarrow && (
            <span aria-hidden className="pointer-coarse:hidden">
              <Binding of="$mod+k" />
            </span>
          )}
        </Button>
        <Sections org={org} isNarrow={isNarrow} leave={() => setOpen(false)} />
        {!isNarrow && <OrganizationSwitch org={org} />}
        <You org={org} isNarrow={isNarrow} />
      </div>
    </header>
  );
}

function WidthButton({ isNarrow, toggle }: { isNarrow: boolean; toggle: () => void }) {
  const Icon = isNarrow ? PanelLeftOpen : PanelLeftClose;
  const label = isNarrow ? 'Show the names in the navigation' : 'Show only icons in the navigation';
  return (
    <Button look="bare" onClick={toggle} aria-label={label} title={`${label}, key [`} className="px-2">
      <Icon size={16} strokeWidth={1.5} aria-hidden />
    </Button>
  );
}

interface SectionsProps {
  org: string;
  isNarrow: boolean;
  leave: () => void;
}

/** The sections that the person may read. */
function Sections({ org, isNarrow, leave }: SectionsProps) {
  const { data: self } = useQuery(selfQuery(org));
  const { data: counts } = useQuery(countsQuery(org, {}));
  const waiting = counts?.needs_you ?? 0;
  useWaiting(waiting);
  const section = useSection();
  const nav = useCurrentInView(section, self);
  return (
    <nav ref={nav} aria-label="Organization" className="min-h-0 flex-1 overflow-y-auto">
      {sections.map(({ title, links }) => {
        const open = links.filter(({ scope }) => self?.scopes.includes(scope) === true);
        return (
          open.length > 0 && (
            <div key={title} role="group" aria-label={title} className="pb-3">
              {!isNarrow && (
                <p aria-hidden className="px-2 pb-1 text-meta text-ink-3">
                  {title}
                </p>
              )}
              {open.map(({ to, label, icon: Icon }) => (
                <Link
                  key={to}
                  to={to}
                  params={{ org }}
                  onClick={leave}
                  title={isNarrow ? label : undefined}
                  className={cx(
                    'relative flex h-8 items-center gap-2 rounded-control px-2 text-ink-2 -outline-offset-2 hover:bg-sunken pointer-coarse:h-11',
                    to === section && 'bg-accent-soft font-medium text-ink',
                  )}
                  activeOptions={{ exact: true }}
                  {...(to === section ? { 'aria-current': 'page', 'data-current': '' } : {})}
                >
                  <Icon size={16} strokeWidth={1.5} aria-hidden />
                  <span className={isNarrow ? 'sr-only' : 'min-w-0 flex-1 truncate'}>{label}</span>
                  {to === '/$org/sessions' && waiting > 0 && (
                    <span className={cx('mono text-wait', isNarrow && 'absolute top-0 right-0.5 text-meta leading-4')}>
                      {count(waiting)}
                      <span className="sr-only"> need you</span>
                    </span>
                  )}
                </Link>
              ))}
            </div>
          )
        );
      })}
    </nav>
  );
}

/** Returns a ref for the navigation, whose link to the open section it keeps in view. */
function useCurrentInView(section: string, self: unknown) {
  const nav = useRef<HTMLElement>(null);
  usePlaced(() => {
    // The router marks the link that one comes from for a moment longer.
    const [list, link] = [nav.current, nav.current?.querySelector('[data-current]')];
    if (list === null || link === null || link === undefined) return;
    bringIntoView(list, link);
  }, [section, self]);
  return nav;
}

function OrganizationSwitch({ org }: { org: string }) {
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const navigate = useNavigate();
  if (organizations.length < 2) return null;
  return (
    <select
      aria-label="Organization"
      value={org}
      onChange={({ target }) => void navigate({ to: '/$org/sessions', params: { org: target.value } })}
      className="h-8 min-w-0 shrink-0 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
    >
      {organizations.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  );
}

function You({ org, isNarrow }: { org: string; isNarrow: boolean }) {
  const { data: self } = useQuery(selfQuery(org));
  const { isDark, change } = usePreferences(org);
  const signOut = useAction({
    call: () => unwrap(api.POST('/v3/auth/sign-out')),
    done: () => location.assign(signInPath),
  });
  const name = self === undefined || self.name !== '' ? self?.name : self.email;
  return (
    <div className={cx('flex items-center gap-1', isNarrow && 'flex-col')}>
      <Link
        to="/$org/self"
        params={{ org }}
        search={{}}
        title={isNarrow ? `${name ?? 'You'}, ${self?.email ?? ''}` : self?.email}
        className={cx(
          'flex h-8 min-w-0 items-center rounded-control px-2 text-ink-2 hover:bg-sunken pointer-coarse:h-11',
          isNarrow ? 'shrink-0' : 'flex-1',
        )}
        activeProps={{ className: 'bg-accent-soft text-ink font-medium' }}
      >
        {isNarrow && <User size={16} strokeWidth={1.5} aria-hidden />}
        <span className={isNarrow ? 'sr-only' : 'truncate'}>{name ?? 'You'}</span>
      </Link>
      <Button
        look="bare"
        onClick={() => change({ theme: isDark ? 'light' : 'dark' })}
        aria-label={isDark ? 'Light theme' : 'Dark theme'}
        className="px-2"
      >
        {isDark ? <Sun size={16} strokeWidth={1.5} /> : <Moon size={16} strokeWidth={1.5} />}
      </Button>
      <Button look="bare" onClick={() => signOut.mutate()} aria-label="Sign out" className="px-2">
        <LogOut size={16} strokeWidth={1.5} />
      </Button>
    </div>
  );
}
