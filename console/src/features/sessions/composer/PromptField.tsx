import { useId, useLayoutEffect } from 'react';
import { cx } from '../../../ui/cx.ts';
import { useFileDrop } from '../attachments/useFileDrop.ts';
import { Suggestions } from './Suggestions.tsx';
import { useMention } from './useMention.ts';

interface Props {
  org: string;
  value: string;
  /** The first repository and its ref, whose files can be named. */
  repo: string;
  at: string;
  problem: string | undefined;
  onChange: (text: string) => void;
  /** Given to who may upload files. */
  addFiles: ((files: File[]) => void) | undefined;
}

/** The prompt: names files by `@`, notes by `#` and skills by `/`, and takes files that are dropped or pasted. */
export function PromptField({ org, value, repo, at, problem, onChange, addFiles }: Props) {
  const id = useId();
  const drop = useFileDrop(addFiles);
  const { field, mention, found, active, look, choose, close, onKeyDown } = useMention({
    org,
    value,
    repo,
    at,
    onChange,
  });
  const isOpen = mention !== undefined && found.length > 0;
  useLayoutEffect(() => {
    if (!isInUse(document.activeElement)) field.current?.focus();
  }, [field]);
  return (
    <div className="relative flex flex-col gap-1" {...drop.target}>
      <label htmlFor={id} className="font-medium">
        What should be done?
      </label>
      <textarea
        id={id}
        ref={field}
        rows={6}
        maxLength={100_000}
        value={value}
        aria-describedby={`${id}-note`}
        aria-invalid={problem !== undefined}
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && active !== undefined ? `${id}-${active.key}` : undefined}
        onChange={({ target }) => {
          onChange(target.value);
          look(target);
        }}
        onClick={({ currentTarget }) => look(currentTarget)}
        onBlur={close}
        onKeyDown={onKeyDown}
        onPaste={drop.onPaste}
        className={cx(
          'field-sizing-content max-h-[60dvh] min-h-36 w-full rounded-control border bg-surface px-3 py-2 text-read aria-invalid:border-bad',
          drop.isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
      />
      {isOpen && <Suggestions id={id} label={words[mention.kind]} found={found} active={active} choose={choose} />}
      <p id={`${id}-note`} className={cx('text-meta', problem === undefined ? 'text-ink-3' : 'text-bad')}>
        {problem ?? hintOf(repo !== '', addFiles !== undefined)}
      </p>
    </div>
  );
}

/** Returns true for a field in which a person may be writing: on a page without sessions the prompt comes late. */
function isInUse(element: Element | null): boolean {
  return element !== null && (element.matches('input, textarea, select') || element.closest('[role=dialog]') !== null);
}

const words = { file: 'Files', note: 'Notes', skill: 'Skills' } as const;

function hintOf(canNameFiles: boolean, canAttach: boolean): string {
  const names = canNameFiles ? '@ names a file, # a note, / a skill.' : '# names a note, / a skill.';
  return canAttach ? `${names} Files can be dropped or pasted.` : names;
}
