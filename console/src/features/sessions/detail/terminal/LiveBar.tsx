import type { Session } from '../../../../lib/api.ts';
import { Button } from '../../../../ui/Button.tsx';
import { Popover } from '../../../../ui/Popover.tsx';
import { PreviewForm } from '../shell/PreviewForm.tsx';
import { useOpenShell } from '../shell/useOpenShell.ts';
import { useCanUseSandbox } from '../useCanUseSandbox.ts';

/** What a person can do in the sandbox while the session has one. */
export function LiveBar({ org, session }: { org: string; session: Session }) {
  const canUse = useCanUseSandbox(org, session);
  const open = useOpenShell(org, session.id);
  if (!canUse) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pt-2">
      <Button onClick={open}>Open a shell</Button>
      <Popover label="Preview a port" title="Preview a port">
        {() => <PreviewForm org={org} id={session.id} />}
      </Popover>
    </div>
  );
}
