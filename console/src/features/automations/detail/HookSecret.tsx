import { OneTimeSecret } from '../../../ui/OneTimeSecret.tsx';
import type { Automation } from '../words.ts';
import { HookUrl } from './HookUrl.tsx';

/** The new secret of an automation's webhook, shown once, and where requests go. */
export function HookSecret({ automation }: { automation: Pick<Automation, 'hook_secret' | 'triggers'> }) {
  return (
    <>
      <OneTimeSecret
        label="The secret of its webhook"
        value={automation.hook_secret}
        note="Senders sign each request with it, as Standard Webhooks describes."
      />
      <HookUrl triggers={automation.triggers} />
    </>
  );
}
