import { useQuery } from '@tanstack/react-query';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { destinationOf } from './destination.ts';
import { Entrance } from './Entrance.tsx';
import { FirstPassword } from './FirstPassword.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { entranceQuery } from './queries.ts';
import { SignedIn } from './SignedIn.tsx';

/** Where a person signs in; the first one sets the first password here. */
export function SignInScreen() {
  const { return_to: wanted } = useSearch({ from: '/-/sign-in' });
  const { data, error, isPending, refetch } = useQuery(entranceQuery);
  const next = destinationOf(wanted, location.origin);
  if (isPending)
    return (
      <Entrance title="Sign in">
        <SkeletonRows rows={3} height={48} />
      </Entrance>
    );
  if (data === undefined)
    return (
      <Entrance title="Sign in">
        <Failed error={error} retry={() => void refetch()} />
      </Entrance>
    );
  if (data.signed_in)
    return (
      <Entrance title="You are signed in">
        <SignedIn next={next} />
      </Entrance>
    );
  if (data.first_run)
    return (
      <Entrance title="Welcome to Guildhall">
        <FirstPassword next={next} />
      </Entrance>
    );
  return (
    <Entrance title="Sign in">
      <PasswordForm next={next} />
      {data.sso.map(({ provider, name, start_url: url }) => (
        <a key={provider} className={buttonClass()} href={`${url}?return_to=${encodeURIComponent(next)}`}>
          <span className="truncate">Sign in with {name}</span>
        </a>
      ))}
    </Entrance>
  );
}
