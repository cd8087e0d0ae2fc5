import { useEffect, useRef } from 'react';
import { useActionGroups, useLetters } from '../../lib/actions.ts';
import { Button } from '../../ui/Button.tsx';
import { Binding } from './Binding.tsx';
import { usePreferences } from './preferences.ts';

/** All keys of the page and of the console, and the switch that turns letters off. */
export function Keys({ org, close }: { org: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const groups = useActionGroups();
  const areOn = useLetters();
  useEffect(() => dialog.current?.showModal(), []);
  const titles = [...new Set(groups.map(({ title }) => title))];
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={close}
      className="m-auto max-h-[80dvh] w-[32rem] max-w-[calc(100vw-32px)] overflow-auto rounded-panel border border-line bg-raised p-6 text-ink shadow-float backdrop:bg-black/40"
    >
      <div className="flex items-center gap-2 pb-3">
        <h2 id="keys-title" className="flex-1 text-title font-medium">
          Keys
        </h2>
        <Button onClick={() => dialog.current?.close()}>Close</Button>
      </div>
      <LettersSwitch org={org} />
      {titles.map((title) => {
        const actions = groups
          .filter((group) => group.title === title)
          .flatMap((group) => group.actions)
          .filter(({ key }) => key !== undefined && (areOn || key.includes('$mod')));
        return (
          actions.length > 0 && (
            <section key={title} aria-label={title} className="pt-4">
              <h3 className="pb-1 text-meta text-ink-3">{title}</h3>
              <dl>
                {actions.map(({ label, key }) => (
                  <div key={label} className="flex items-center gap-2 border-b border-line py-1">
                    <dt className="flex-1">{label}</dt>
                    <dd>{key !== undefined && <Binding of={key} />}</dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        );
      })}
    </dialog>
  );
}

/** Turns keys without a modifier on and off. */
export function LettersSwitch({ org }: { org: string }) {
  const { preferences, change } = usePreferences(org);
  return (
    <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        checked={preferences.letters}
        onChange={({ target }) => change({ letters: target.checked })}
        className="size-4 accent-accent"
      />
      Single letters act as keys while no field has the focus
    </label>
  );
}
