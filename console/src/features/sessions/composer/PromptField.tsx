import { useId, useState, type ClipboardEvent, type DragEvent } from 'react';
import { cx } from '../../../ui/cx.ts';
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
  submit: () => void;
  /** Given to who may upload files. */
  addFiles: ((files: File[]) => void) | undefined;
}

/** The prompt: names files by `@` and notes by `#`, and takes files that are dropped or pasted. */
export function PromptField({ org, value, repo, at, problem, onChange, submit, addFiles }: Props) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const { field, mention, found, active, look, choose, close, onKeyDown } = useMention({
    org,
    value,
    repo,
    at,
    onChange,
    submit,
  });
  const isOpen = mention !== undefined && found.length > 0;
  const take = (event: ClipboardEvent | DragEvent, files: FileList) => {
    if (addFiles === undefined || files.length === 0) return;
    event.preventDefault();
    addFiles([...files]);
  };
  return (
    <div
      className="relative flex flex-col gap-1"
      onDragOver={(event) => {
        if (addFiles === undefined || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        take(event, event.dataTransfer.files);
      }}
    >
      <label htmlFor={id} className="font-medium">
        What should be done?
      </label>
      <textarea
        id={id}
        ref={field}
        autoFocus
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
        onPaste={(event) => take(event, event.clipboardData.files)}
        className={cx(
          'field-sizing-content max-h-[60dvh] min-h-36 w-full rounded-control border bg-surface px-3 py-2 text-read aria-invalid:border-bad',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
      />
      {isOpen && (
        <Suggestions
          id={id}
          label={mention.kind === 'file' ? 'Files' : 'Notes'}
          found={found}
          active={active}
          choose={choose}
        />
      )}
      <p id={`${id}-note`} className={cx('text-meta', problem === undefined ? 'text-ink-3' : 'text-bad')}>
        {problem ?? hintOf(repo !== '', addFiles !== undefined)}
      </p>
    </div>
  );
}

function hintOf(canNameFiles: boolean, canAttach: boolean): string {
  const names = canNameFiles ? '@ names a file, # a note.' : '# names a note.';
  return canAttach ? `${names} Files can be dropped or pasted.` : names;
}
