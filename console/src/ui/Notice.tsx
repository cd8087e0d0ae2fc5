import type { ReactNode } from 'react';
import { failureOf, signInPath, type Failure } from '../lib/errors.ts';
import { Button } from './Button.tsx';

/** What stands where nothing is: one sentence, and what to do. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-4 px-4 py-12 text-ink-2 sm:px-6">
      <p className="max-w-[72ch] text-read">{children}</p>
      {action}
    </div>
  );
}

/** Why something was refused, beside the form that was sent. */
export function Refusal({ of: { message, needsSignIn } }: { of: Failure }) {
  return (
    <p role="alert" className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2 break-words">
      {message}{' '}
      {needsSignIn && (
        <a href={signInPath} target="_blank" rel="noreferrer" className="underline">
          Sign in in a new tab
        </a>
      )}
    </p>
  );
}

/** What failed: the API's own sentence, a retry, and the request's id. */
export function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const { title, message, requestId } = failureOf(error);
  return (
    <div role="alert" className="flex flex-col items-start gap-3 border-l-2 border-bad px-4 py-3">
      <p className="font-medium">{title}</p>
      <p className="max-w-[72ch] text-ink-2">{message}</p>
      {requestId !== '' && <code className="text-ink-3 select-all">{requestId}</code>}
      <Button onClick={retry}>Try again</Button>
    </div>
  );
}
