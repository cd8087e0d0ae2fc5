import { useState, type ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyLine, OneTimeSecret } from '../../ui/OneTimeSecret.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import type { Connection } from './queries.ts';
import { RotateSecret, type Rotated } from './RotateSecret.tsx';

/** How the host announces what happens there: to which address, signed by what, and if it does. */
export function Webhook({ org, connection }: { org: string; connection: Connection }) {
  const { provider, kind, webhook_url: url, webhook_problem: problem, last_delivery_at: delivered } = connection;
  const hasSecret = kind === 'token' && provider !== 'pagure';
  const canRotate = useCan(org, 'repos:write') && hasSecret;
  const [isOpen, setOpen] = useState(false);
  const [rotated, setRotated] = useState<Rotated>();
  return (
    <Section
      title="Webhook"
      actions={canRotate && !isOpen && <Button onClick={() => setOpen(true)}>Rotate its secret</Button>}
    >
      {problem !== '' && (
        <p className="max-w-[72ch] border-l-2 border-wait bg-wait-soft px-3 py-2 break-words">{problem}</p>
      )}
      {isOpen && (
        <RotateSecret
          org={org}
          connection={connection}
          done={(next) => {
            setRotated(next);
            setOpen(false);
          }}
          close={() => setOpen(false)}
        />
      )}
      {rotated !== undefined && (
        <OneTimeSecret label="The new secret of the webhook" value={rotated.secret} note={rotated.note} />
      )}
      <p className="max-w-[72ch] text-ink-2">{whoCreates(connection)}</p>
      <div className="flex flex-col gap-1">
        <span className="text-ink-3">Address</span>
        <CopyLine value={url} />
      </div>
      {entries(connection)}
      <Facts facts={[['Last delivery', delivered === null ? 'none yet' : <Time key="at" at={delivered} />]]} />
    </Section>
  );
}

function whoCreates({ kind, provider }: Connection): string {
  if (kind === 'app')
    return 'The App has one webhook for all its repositories. GitHub has the address and the secret since it created the App; the page of the App rotates the secret.';
  if (provider === 'pagure')
    return 'Guildhall adds its address to each connected project. Pagure signs with a secret of the project, which Guildhall reads there.';
  return 'Guildhall creates the webhook of each connected repository. Where its token may not, add it at the host yourself.';
}

/** What a person enters at the host; nothing where nobody has to. */
function entries({ kind, provider }: Connection): ReactNode {
  if (kind !== 'token' || provider === 'local') return null;
  return (
    <details>
      <summary className="min-h-6 cursor-pointer text-ink-2 pointer-coarse:min-h-11">What to enter at the host</summary>
      <Facts facts={fields[provider]} />
    </details>
  );
}

const secret = 'the one that “Rotate its secret” shows once';
const fields: Record<'github' | 'gitlab' | 'pagure', readonly (readonly [string, string])[]> = {
  github: [
    ['Where', 'Settings, Webhooks, Add webhook of the repository'],
    ['Payload URL', 'the address'],
    ['Content type', 'application/json'],
    ['Secret', secret],
    ['Events', 'Send me everything'],
  ],
  gitlab: [
    ['Where', 'Settings, Webhooks, Add new webhook of the project'],
    ['URL', 'the address'],
    ['Secret token', secret],
    ['Trigger', 'push, merge request, comments, issues, pipeline and job events'],
  ],
  pagure: [
    ['Where', 'Settings, Hooks of the project'],
    ['Web-hooks', 'the address, in a line of its own'],
  ],
};
