import type { ReactNode } from 'react';
import { useTitle } from '../../lib/title.ts';
import { ConfirmProvider } from '../../ui/Confirm.tsx';
import { PhaseRail, type Notch } from '../../ui/PhaseRail.tsx';
import { Toasts } from '../../ui/Toasts.tsx';

const notches: readonly Notch[] = ['reproduce', 'implement', 'verify', 'deliver'].map((name) => ({
  name,
  state: 'passed',
}));

/** The frame of the pages before a sign-in: a heading and one thing to do. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <ConfirmProvider>
      <div className="grid min-h-dvh place-items-center px-4 py-8">
        <main className="flex w-full max-w-96 flex-col gap-6">
          <div className="flex items-center gap-3 border-b border-line pb-3">
            <p className="flex-1 text-read font-bold text-accent">Guildhall</p>
            <span aria-hidden>
              <PhaseRail notches={notches} />
            </span>
          </div>
          <h1 className="text-figure font-medium text-balance break-words">{title}</h1>
          {children}
        </main>
        <Toasts />
      </div>
    </ConfirmProvider>
  );
}
