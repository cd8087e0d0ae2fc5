import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useTitle } from '../../lib/title.ts';
import { Button } from '../../ui/Button.tsx';

/** What stands in the place of a page that could not be drawn: its code did not arrive, or failed. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useTitle('Not shown', '');
  return (
    <div role="alert" className="flex flex-col items-start gap-3 px-4 py-12 sm:px-6">
      <p className="text-read font-medium">This page could not be shown</p>
      <p className="max-w-[72ch] text-ink-2">
        Check your connection, and try again. If it stays, tell whoever runs Guildhall what it says here:
      </p>
      <code className="max-w-full break-words text-ink-3 select-all">
        {error instanceof Error ? error.message : String(error)}
      </code>
      <p className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => void router.invalidate().finally(reset)}>
          Try again
        </Button>
        <Button onClick={() => location.reload()}>Load the console anew</Button>
      </p>
    </div>
  );
}
