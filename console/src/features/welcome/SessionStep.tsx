import { Link } from '@tanstack/react-router';
import type { Session } from '../../lib/api.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { PhaseRail } from '../../ui/PhaseRail.tsx';
import { notchesOf } from '../sessions/state.ts';
import { StateLabel } from '../sessions/StateLabel.tsx';
import { useCan } from '../shell/useCan.ts';
import type { Progress, Template } from './steps.ts';
import { useExample } from './useExample.ts';

/** The first session: on the example by one button, or one of one's own; then how it stands. */
export function SessionStep({ org, progress }: { org: string; progress: Progress }) {
  const { template, example, session, hasSession, hasMerged, hasModel } = progress;
  if (session !== undefined) return hasMerged === true ? null : <Standing org={org} session={session} />;
  if (hasSession !== false) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {template !== undefined && example !== undefined && (
        <StartExample org={org} template={template} hasModel={hasModel === true} />
      )}
      <Link to="/$org/sessions/new" params={{ org }} search={{}} className={buttonClass()}>
        New session
      </Link>
    </div>
  );
}

function StartExample({ org, template, hasModel }: { org: string; template: Template; hasModel: boolean }) {
  const { start } = useExample(org, template);
  const canCreateAgent = useCan(org, 'org:write');
  return (
    <>
      {hasModel && (
        <Button look="primary" disabled={start.isPending} onClick={() => start.mutate('builtin')}>
          Fix the example with the built-in agent
        </Button>
      )}
      {canCreateAgent && (
        <Button
          look={hasModel ? 'quiet' : 'primary'}
          disabled={start.isPending}
          onClick={() => start.mutate('script')}
          title="An agent of the runtime script: its steps are declared, and it needs no model."
        >
          Fix the example with a script
        </Button>
      )}
    </>
  );
}

function Standing({ org, session }: { org: string; session: Session }) {
  const { id, title } = session;
  return (
    <p className="flex max-w-full flex-wrap items-center gap-x-3 gap-y-1">
      <PhaseRail notches={notchesOf(session)} />
      <StateLabel session={session} />
      <Link
        to="/$org/sessions/$id"
        params={{ org, id }}
        className="flex min-h-6 min-w-0 items-center font-medium underline pointer-coarse:min-h-11"
      >
        <span className="truncate">{title}</span>
      </Link>
    </p>
  );
}
