import { Paperclip, RotateCw, X } from 'lucide-react';
import { useRef } from 'react';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { bytes } from '../artifacts.ts';
import type { AttachedFile } from './files.ts';
import type { Upload } from './useUploads.ts';

interface Props {
  files: readonly AttachedFile[];
  uploads: readonly Upload[];
  add: (files: File[]) => void;
  remove: (id: string) => void;
  retry: (upload: Upload) => void;
  drop: (key: number) => void;
}

/** The files beside a text: those that arrived, are on their way, or did not arrive. */
export function Attachments({ files, uploads, add, remove, retry, drop }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Files to attach"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <Paperclip size={16} strokeWidth={1.5} aria-hidden />
        Attach files
      </Button>
      <ul aria-label="Files" className="contents">
        {files.map(({ id, name, size }) => (
          <li key={id} className={`${buttonClass()} max-w-full pr-0`}>
            <span className="truncate">{name}</span>
            <span className="mono text-ink-3">{bytes(size)}</span>
            <Remove name={name} act={() => remove(id)} />
          </li>
        ))}
        {uploads.map((upload) => (
          <li key={upload.key} className={`${buttonClass()} max-w-full pr-0 whitespace-normal`}>
            <span className="truncate">{upload.file.name}</span>
            {upload.problem === '' ? (
              <span role="status" className="text-ink-3">
                sending …
              </span>
            ) : (
              <>
                <span role="alert" className="truncate text-bad" title={upload.problem}>
                  {upload.problem}
                </span>
                <button
                  type="button"
                  aria-label={`Send ${upload.file.name} again`}
                  onClick={() => retry(upload)}
                  className="grid size-6 place-items-center pointer-coarse:size-11"
                >
                  <RotateCw size={16} strokeWidth={1.5} aria-hidden />
                </button>
                <Remove name={upload.file.name} act={() => drop(upload.key)} />
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Remove({ name, act }: { name: string; act: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove ${name}`}
      onClick={act}
      className="grid size-6 place-items-center text-ink-3 hover:text-ink pointer-coarse:size-11"
    >
      <X size={16} strokeWidth={1.5} aria-hidden />
    </button>
  );
}
