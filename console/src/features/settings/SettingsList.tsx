import { Link } from '@tanstack/react-router';
import { Time } from '../../ui/Time.tsx';
import type { SettingsRecord } from './draft.ts';

/** The namespaces at the left of one, on a wide screen. */
export function SettingsNav({ org, all }: { org: string; all: readonly SettingsRecord[] }) {
  return (
    <nav aria-label="Settings" className="hidden w-48 shrink-0 border-r border-line px-3 py-4 lg:block">
      {all.map(({ namespace, title }) => (
        <Link
          key={namespace}
          to="/$org/settings/$namespace"
          params={{ org, namespace }}
          className="flex h-8 items-center rounded-control px-2 text-ink-2 hover:bg-sunken pointer-coarse:h-11"
          activeProps={{ className: 'bg-accent-soft text-ink font-medium', 'aria-current': 'page' }}
        >
          <span className="truncate">{title}</span>
        </Link>
      ))}
    </nav>
  );
}

/** All namespaces, with what was changed in each. */
export function SettingsOverview({ org, all }: { org: string; all: readonly SettingsRecord[] }) {
  return (
    <ul aria-label="Settings" className="border-t border-line">
      {all.map(({ namespace, title, set_keys: chosen, updated_at: at, updated_by: by }) => (
        <li
          key={namespace}
          className="relative flex min-h-12 flex-wrap items-center gap-x-4 border-b border-line px-4 py-2 hover:bg-sunken sm:px-6"
        >
          <Link
            to="/$org/settings/$namespace"
            params={{ org, namespace }}
            className="w-48 font-medium after:absolute after:inset-0 hover:underline"
          >
            {title}
          </Link>
          <span className="w-40 text-ink-2">{chosen.length === 0 ? 'all defaults' : `${chosen.length} changed`}</span>
          <span className="min-w-0 truncate text-ink-3">
            {at !== null && (
              <>
                {by !== null && by.name !== '' && `${by.name}, `}
                <Time at={at} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
