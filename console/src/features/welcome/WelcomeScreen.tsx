import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { selfQuery } from '../shell/organizations.ts';
import { stepsQuery, type StepId } from './steps.ts';

/** The way from a new installation to the first merged change; each step ticks itself off. */
export function WelcomeScreen() {
  const { org } = useParams({ from: '/$org/welcome' });
  const { data: self } = useQuery(selfQuery(org));
  const scopes = self?.scopes ?? [];
  const steps = useQuery({ ...stepsQuery(org, scopes), enabled: self !== undefined });
  return (
    <Page title="First steps">
      {steps.isPending && <SkeletonRows rows={5} height={64} />}
      {steps.isError && steps.data === undefined && <Failed error={steps.error} retry={() => void steps.refetch()} />}
      {steps.data !== undefined && <Steps org={org} done={steps.data} scopes={scopes} />}
    </Page>
  );
}

interface Step {
  id: StepId;
  title: string;
  text: ReactNode;
  /** Where it is done, and the scope that doing it takes. */
  action?: ReactNode;
  scope?: string;
}

function stepsOf(org: string): Step[] {
  const quiet = buttonClass();
  return [
    {
      id: 'password',
      title: 'Set a password',
      text: 'The first visitor sets the first password with the administrator key.',
      action: (
        <Link to="/$org/self" params={{ org }} search={{}} className={quiet}>
          Your password
        </Link>
      ),
    },
    {
      id: 'model',
      title: 'Have a model',
      text: 'An agent needs a model. The operator names providers and their keys on the server; the settings decide which models may be used.',
      action: (
        <Link to="/$org/settings/$namespace" params={{ org, namespace: 'models' }} className={quiet}>
          Models in the settings
        </Link>
      ),
      scope: 'org:write',
    },
    {
      id: 'repository',
      title: 'Connect or create a repository',
      text: 'The built-in git host needs no account: create a repository and push to it, or import one by its address.',
      action: (
        <Link to="/$org/repositories/new" params={{ org }} className={quiet}>
          New repository
        </Link>
      ),
      scope: 'repos:write',
    },
    {
      id: 'session',
      title: 'Start the first session',
      text: 'Say what should be done, and in which repository. The agent works until its check passes.',
      action: (
        <Link to="/$org/sessions/new" params={{ org }} search={{}} className={quiet}>
          New session
        </Link>
      ),
      scope: 'run',
    },
    {
      id: 'merge',
      title: 'Merge the change',
      text: 'A verified session opens a change request, with what the check said before and after.',
      action: (
        <Link to="/$org/change-requests" params={{ org }} className={quiet}>
          Change requests
        </Link>
      ),
      scope: 'repos:write',
    },
  ];
}

function Steps({
  org,
  done,
  scopes,
}: {
  org: string;
  done: Partial<Record<StepId, boolean>>;
  scopes: readonly string[];
}) {
  const steps = stepsOf(org).filter(({ id }) => done[id] !== undefined);
  const finished = steps.filter(({ id }) => done[id] === true).length;
  const next = steps.find(({ id }) => done[id] === false)?.id;
  return (
    <Body>
      <p className="text-read text-ink-2" role="status">
        {finished === steps.length ? 'All done.' : `${finished} of ${steps.length} done. They tick themselves off.`}
      </p>
      <ol className="flex flex-col">
        {steps.map(({ id, title, text, action, scope }) => (
          <li key={id} className="flex gap-3 border-b border-line py-4" aria-current={id === next ? 'step' : undefined}>
            {done[id] === true ? (
              <Check size={20} strokeWidth={2} aria-hidden className="shrink-0 text-ok" />
            ) : (
              <Circle size={20} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
            )}
            <div className="flex min-w-0 flex-col items-start gap-2">
              <h2 className="text-read font-medium">
                {title}
                <span className="sr-only">{done[id] === true ? ': done' : ': to do'}</span>
              </h2>
              <p className="max-w-[72ch] text-ink-2">{text}</p>
              {done[id] === false && (scope === undefined || scopes.includes(scope)) && action}
              {done[id] === false && scope !== undefined && !scopes.includes(scope) && (
                <p className="text-ink-3">
                  This takes the permission <code>{scope}</code>.
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Body>
  );
}
