import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useRef, useSyncExternalStore } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { Button } from '../../../../ui/Button.tsx';
import { Empty } from '../../../../ui/Notice.tsx';
import { useCanUseSandbox } from '../useCanUseSandbox.ts';
import { Screen } from './Screen.tsx';
import type { Shell } from './shell.ts';
import { closeShell, openShell, shellOf, subscribeToShells } from './shells.ts';
import { useSpoken } from './useSpoken.ts';

interface Props {
  org: string;
  session: Session;
}

/** A person's shell in the session's sandbox. An address leads here, and never opens one by itself. */
export function ShellPart({ org, session }: Props) {
  const { id } = session;
  const canOpen = useCanUseSandbox(org, session);
  const shell = useSyncExternalStore(subscribeToShells, () => shellOf(org, id));
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const back = () => {
    // What ran in the shell is in the log by now.
    void client.invalidateQueries({ queryKey: ['session-log', org, id] });
    void navigate({ search: ({ cmd: _cmd, ...now }) => now, hash: true, replace: true });
  };
  if (shell !== undefined)
    return (
      <OpenShell
        shell={shell}
        canOpen={canOpen}
        back={back}
        close={() => {
          closeShell(org, id);
          back();
        }}
      />
    );
  return (
    <Empty
      action={
        <p className="flex gap-2">
          {canOpen && (
            <Button look="primary" onClick={() => openShell(org, id)}>
              Open a shell
            </Button>
          )}
          <Button onClick={back}>All commands</Button>
        </p>
      }
    >
      {canOpen
        ? 'No shell is open. It runs in the sandbox of the session, and the log has what it prints.'
        : 'A shell takes the permission run, and a sandbox that runs: send the session a message to start one.'}
    </Empty>
  );
}

interface OpenShellProps {
  shell: Shell;
  canOpen: boolean;
  back: () => void;
  close: () => void;
}

function OpenShell({ shell, canOpen, back, close }: OpenShellProps) {
  const state = useSyncExternalStore(shell.subscribe, shell.state);
  const field = useRef<HTMLTextAreaElement>(null);
  const way = useRef<HTMLButtonElement>(null);
  const hint = useId();
  const { phase, said, version } = state;
  const spoken = useSpoken(shell.terminal, version);
  const again = () => {
    const { terminal } = shell;
    void shell.open(terminal?.cols ?? 80, terminal?.rows ?? 24);
    field.current?.focus({ preventScroll: true });
  };
  return (
    <section aria-label="Shell" className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1">
        <p id={hint} className="min-w-28 flex-1 text-meta text-ink-3">
          {phase === 'open' || phase === 'ended' ? 'Recorded in the log.' : 'Opening the shell …'}{' '}
          <span className="pointer-coarse:hidden">
            <kbd>Shift Esc</kbd> leaves the terminal, <kbd>Shift PgUp</kbd> scrolls.
          </span>
        </p>
        <Button ref={way} look="bare" onClick={back}>
          All commands
        </Button>
        <Button onClick={close}>{phase === 'ended' ? 'Close' : 'End the shell'}</Button>
      </div>
      {phase === 'ended' && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-wait-soft px-4 py-2"
        >
          <p className="min-w-48 flex-1">{said}</p>
          {canOpen && (
            <Button look="primary" onClick={again}>
              Open again
            </Button>
          )}
        </div>
      )}
      <p role="status" className="sr-only">
        {spoken}
      </p>
      <Screen shell={shell} state={state} field={field} describedBy={hint} leave={() => way.current?.focus()} />
      {phase === 'open' && <TouchKeys shell={shell} back={() => field.current?.focus({ preventScroll: true })} />}
    </section>
  );
}

const touchKeys: readonly [string, string][] = [
  ['Esc', '\u001b'],
  ['Tab', '\t'],
  ['Ctrl C', '\u0003'],
  ['Ctrl D', '\u0004'],
  ['↑', '\u001b[A'],
  ['↓', '\u001b[B'],
  ['←', '\u001b[D'],
  ['→', '\u001b[C'],
];
const arrowNames: Record<string, string> = { '↑': 'Up', '↓': 'Down', '←': 'Left', '→': 'Right' };

/** Keys that the keyboard of a phone lacks. */
function TouchKeys({ shell, back }: { shell: Shell; back: () => void }) {
  return (
    <div
      role="group"
      aria-label="Keys"
      className="hidden gap-1 overflow-x-auto border-t border-line px-2 pointer-coarse:flex"
    >
      {touchKeys.map(([label, bytes]) => (
        <Button
          key={label}
          look="bare"
          aria-label={arrowNames[label] ?? label}
          onClick={() => {
            shell.type(bytes);
            back();
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
