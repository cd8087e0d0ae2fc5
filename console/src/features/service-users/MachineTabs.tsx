import { Link } from '@tanstack/react-router';

/** Leads between service users and apps: both are programs with keys. */
export function MachineTabs({ org }: { org: string }) {
  const look =
    'inline-flex h-9 items-center border-b-2 border-transparent px-2 text-ink-2 hover:text-ink pointer-coarse:h-11';
  const active = { className: 'border-accent! font-medium text-ink' };
  return (
    <nav aria-label="Kinds of machines" className="flex border-b border-line px-2 sm:px-4">
      <Link to="/$org/service-users" params={{ org }} className={look} activeProps={active}>
        Service users
      </Link>
      <Link to="/$org/apps" params={{ org }} className={look} activeProps={active}>
        Apps
      </Link>
    </nav>
  );
}
