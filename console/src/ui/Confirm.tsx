import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { fieldClass } from './Field.tsx';

export interface Question {
  title: string;
  /** What will be lost, in one or two sentences. */
  text: ReactNode;
  /** The word on the button. */
  action: string;
  /** `primary`: nothing is lost by it. */
  look?: 'danger' | 'primary';
  /** The person must type this first, because much is lost. */
  typed?: string;
}

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(() => Promise.resolve(false));

/** Returns a function that asks before what cannot be undone; it resolves to the answer. */
export function useConfirm(): Ask {
  return useContext(Context);
}

interface Asked {
  question: Question;
  answer: (yes: boolean) => void;
  /** What had the focus, and gets it back. */
  from: HTMLElement | null;
}

/** Holds the dialog of `useConfirm`. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>();
  const ask = useCallback<Ask>(
    (question) => new Promise((answer) => setAsked({ question, answer, from: focused() })),
    [],
  );
  const answer = (yes: boolean) => {
    asked?.answer(yes);
    setAsked(undefined);
  };
  return (
    <Context value={ask}>
      {children}
      {asked !== undefined && <Confirm question={asked.question} from={asked.from} answer={answer} />}
    </Context>
  );
}

/** Returns the element with the focus; in a menu, which closes, the button of the menu. */
function focused(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? '';
  return document.getElementById(menu) ?? (active instanceof HTMLElement ? active : null);
}

function Confirm({ question, from, answer }: Asked) {
  const { title, text, action, look = 'danger', typed } = question;
  const dialog = useRef<HTMLDialogElement>(null);
  const [written, setWritten] = useState('');
  useEffect(() => {
    dialog.current?.showModal();
    return () => from?.focus();
  }, [from]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      onClose={() => answer(false)}
      className="m-auto w-[28rem] max-w-[calc(100vw-32px)] rounded-panel border border-line bg-raised p-6 text-ink shadow-float backdrop:bg-black/40"
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          answer(true);
        }}
      >
        <h2 id="confirm-title" className="text-title font-medium">
          {title}
        </h2>
        <div className="text-ink-2">{text}</div>
        {typed !== undefined && (
          <label className="flex flex-col gap-1">
            <span>
              Type <code className="font-bold">{typed}</code> to go on.
            </span>
            <input
              value={written}
              onChange={({ target }) => setWritten(target.value)}
              autoComplete="off"
              className={fieldClass}
            />
          </label>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={() => answer(false)} autoFocus>
            Cancel
          </Button>
          <Button type="submit" look={look} disabled={typed !== undefined && written !== typed}>
            {action}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
