import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ListChecks, LogOut, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../lib/api.ts';
import { currentTheme, setTheme } from '../../lib/theme.ts';
import { Button } from '../../ui/Button.tsx';
import { organizationsQuery, selfQuery } from './organizations.ts';

/** The navigation: at the left, or on top of a narrow screen. */
export function Rail({ org }: { org: string }) {
  return (
    <header className="flex shrink-0 items-center gap-2 border-b border-line bg-canvas px-3 py-2 sm:sticky sm:top-0 sm:h-dvh sm:w-58 sm:flex-col sm:items-stretch sm:border-r sm:border-b-0 sm:py-4">
      <p className="px-2 text-read font-bold text-accent">Guildhall</p>
      <nav aria-label="Organization" className="flex-1 sm:mt-4">
        <Link
          to="/$org/sessions"
          params={{ org }}
          className="flex h-8 items-center gap-2 rounded-control px-2 text-ink-2 hover:bg-sunken pointer-coarse:h-11"
          activeProps={{ className: 'bg-accent-soft text-ink font-medium', 'aria-current': 'page' }}
        >
          <ListChecks size={16} strokeWidth={1.5} aria-hidden />
          Sessions
        </Link>
      </nav>
      <div className="flex items-center gap-1 sm:flex-col sm:items-stretch">
        <OrganizationSwitch org={org} />
        <You org={org} />
      </div>
    </header>
  );
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
      className="h-8 min-w-0 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
    >
      {organizations.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  );
}

function You({ org }: { org: string }) {
  const { data: self } = useQuery(selfQuery(org));
  const [isDark, setDark] = useState(document.documentElement.dataset['theme'] === 'dark');
  const swap = () => {
    setTheme(isDark ? 'light' : 'dark');
    setDark(currentTheme() === 'dark');
  };
  return (
    <div className="flex items-center gap-1">
      <span className="hidden min-w-0 flex-1 truncate px-2 text-ink-2 sm:block" title={self?.email}>
        {self?.name}
      </span>
      <Button look="bare" onClick={swap} aria-label={isDark ? 'Light theme' : 'Dark theme'} className="px-2">
        {isDark ? <Sun size={16} strokeWidth={1.5} /> : <Moon size={16} strokeWidth={1.5} />}
      </Button>
      <Button look="bare" onClick={() => void signOut()} aria-label="Sign out" className="px-2">
        <LogOut size={16} strokeWidth={1.5} />
      </Button>
    </div>
  );
}

async function signOut(): Promise<void> {
  await api.POST('/v3/auth/sign-out');
  location.assign('/sign-in');
}
