import { api, unwrap } from '../../lib/api.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';

/** For a person who is signed in already: onward, or out. */
export function SignedIn({ next }: { next: string }) {
  const end = useAction({
    call: () => unwrap(api.POST('/v3/auth/sign-out')),
    done: () => location.reload(),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <a href={next} className={buttonClass('primary')}>
        Open the console
      </a>
      <Button onClick={() => end.mutate()} disabled={end.isPending}>
        Sign out
      </Button>
    </div>
  );
}
