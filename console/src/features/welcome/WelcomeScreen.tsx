import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { buttonClass } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { selfQuery } from '../shell/organizations.ts';
import { RepositoryStep } from './RepositoryStep.tsx';
import { SessionStep } from './SessionStep.tsx';
import { Step } from './Step.tsx';
import { progressQuery, type Progress } from './steps.ts';

/** The way from a new installation to the first merged change; each step ticks itself off. */
export function WelcomeScreen() {
  const { org } = useParams({ from: '/$org/welcome' });
  const { data: self } = useQuery(selfQuery(org));
  const scopes = self?.scopes ?? [];
  const progress = useQuery({ ...progressQuery(org, scopes), enabled: self !== undefined });
  return (
    <Page title="First steps">
      {progress.isPending && <SkeletonRows rows={5} height={64} />}
      {progress.isError && progress.data === undefined && (
        <Failed error={progress.error} retry={() => void progress.refetch()} />
      )}
      {progress.data !== undefined && <Steps org={org} progress={progress.data} scopes={scopes} />}
    </Page>
  );
}

interface StepOf {
  title: string;
  text: string;
  /** Undefined: the person may not read it, and the step is left out. */
  isDone: boolean | undefined;
  /** The scope that doing it takes. */
  scope?: string;
  content: ReactNode;
}

function stepsOf(org: string, progress: Progress): StepOf[] {
  const { hasPassword, hasRepository, hasSession, hasMerged, request } = progress;
  return [
    {
      title: 'Set a password',
      text: 'The first visitor sets the first password with the administrator key.',
      isDone: hasPassword,
      content: !hasPassword && (
        <Link to="/$org/self" params={{ org }} search={{}} className={buttonClass()}>
          Your password
        </Link>
      ),
    },
    {
      title: 'Create or import a repository',
      text: 'The built-in git host needs no account. The example is a project of one function with a defect, and a test that shows it.',
      isDone: hasRepository,
      scope: 'repos:write',
      content: <RepositoryStep org={org} progress={progress} />,
    },
    {
      title: 'Start the first session',
      text: 'An agent fixes a defect in a sandbox. The platform proves it: the same check fails before and passes after.',
      isDone: hasSession,
      scope: 'run',
      content: <SessionStep org={org} progress={progress} />,
    },
    {
      title: 'Merge the change',
      text: 'A verified session opens a change request, with what the check said before and after.',
      isDone: hasMerged,
      scope: 'repos:write',
      content: !hasMerged && request !== undefined && (
        <Link
          to="/$org/repositories/$repository/change-requests/$number"
          params={{ org, repository: request.repository_id, number: String(request.number) }}
          className={buttonClass('primary')}
        >
          Review change request #{request.number}
        </Link>
      ),
    },
  ];
}

function Steps({ org, progress, scopes }: { org: string; progress: Progress; scopes: readonly string[] }) {
  const steps = stepsOf(org, progress).filter(({ isDone }) => isDone !== undefined);
  const finished = steps.filter(({ isDone }) => isDone === true).length;
  const isComplete = finished === steps.length;
  const next = steps.findIndex(({ isDone }) => isDone === false);
  const list = useFocusOnward(next);
  return (
    <Body>
      <p className="text-read text-ink-2" role="status">
        {isComplete ? 'All done.' : `${finished} of ${steps.length} done. They tick themselves off.`}
      </p>
      {isComplete && scopes.includes('run') && (
        <Link to="/$org/sessions/new" params={{ org }} search={{}} className={`${buttonClass('primary')} self-start`}>
          New session
        </Link>
      )}
      <ol ref={list} className="flex flex-col">
        {steps.map(({ title, text, isDone = false, scope, content }, at) => (
          <Step
            key={title}
            title={title}
            text={text}
            isDone={isDone}
            isNext={at === next}
            lacks={isDone || scope === undefined || scopes.includes(scope) ? undefined : scope}
          >
            {content}
          </Step>
        ))}
      </ol>
      <Model org={org} progress={progress} canChange={scopes.includes('org:write')} />
    </Body>
  );
}

/** The button of a step goes with the step: who pressed it goes on at the next one. */
function useFocusOnward(next: number) {
  const list = useRef<HTMLOListElement>(null);
  const last = useRef(next);
  useEffect(() => {
    const isElsewhere = document.activeElement !== document.body;
    if (last.current !== next && !isElsewhere) list.current?.querySelector<HTMLElement>('[aria-current=step]')?.focus();
    last.current = next;
  }, [next]);
  return list;
}

/** Says that agents need a model, while there is none; the example does without. */
function Model({ org, progress: { hasModel }, canChange }: { org: string; progress: Progress; canChange: boolean }) {
  if (hasModel !== false) return null;
  return (
    <div className="flex flex-col items-start gap-2">
      <h2 className="text-read font-medium">No model yet</h2>
      <p className="max-w-[72ch] text-ink-2">
        The example works without one. The built-in agent needs a model: the operator names providers and their keys on
        the server, and the settings decide which models may be used.
      </p>
      {canChange && (
        <Link to="/$org/settings/$namespace" params={{ org, namespace: 'models' }} className={buttonClass()}>
          Models in the settings
        </Link>
      )}
    </div>
  );
}
