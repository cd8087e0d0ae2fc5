import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/Button.tsx';
import { KeyList } from '../keys/KeyList.tsx';
import { ownKeys } from '../keys/owner.ts';

/** The person's keys of the organization. */
export function OwnKeys({ org }: { org: string }) {
  const create = (
    <Link to="/$org/self/keys/new" params={{ org }} className={buttonClass()}>
      New key
    </Link>
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3 sm:px-6">
        <p className="text-ink-2">A key acts as you, with the scopes that you choose, in this organization.</p>
        {create}
      </div>
      <KeyList owner={ownKeys(org)} create={create} />
    </>
  );
}
