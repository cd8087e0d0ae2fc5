import type { Session } from '../../../lib/api.ts';
import { Button } from '../../../ui/Button.tsx';
import { useStartAgain } from './useStartAgain.ts';

/** What stands in the place of the field for a message where no message can continue the session. */
export function NoReply({ org, session }: { org: string; session: Session }) {
  const { hasPrompt, start } = useStartAgain(org, session);
  return (
    <p className="flex shrink-0 flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-3 text-ink-2">
      It failed before its first checkpoint, so no message can continue it.
      <Button onClick={start}>{hasPrompt ? 'Start again with this prompt' : 'Start another session'}</Button>
    </p>
  );
}
