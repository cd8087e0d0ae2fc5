import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../../../lib/useAction.ts';
import { failureOf } from '../../../../lib/errors.ts';
import { Button, buttonClass } from '../../../../ui/Button.tsx';
import { Field, fieldClass } from '../../../../ui/Field.tsx';
import { previewAddress } from './preview-address.ts';
import { tryPreview } from './preview.ts';

/** Looks at a server that runs in the session's sandbox, in a new tab. */
export function PreviewForm({ org, id }: { org: string; id: string }) {
  const [port, setPort] = useState('');
  const [path, setPath] = useState('');
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const look = useAction({
    call: async () => {
      const address = previewAddress(org, id, Number(port), path);
      stop.current = new AbortController();
      await tryPreview(address, stop.current.signal);
      // Later, a browser takes it for a window that nobody asked for; the link does the same.
      if (navigator.userActivation.isActive) window.open(address, '_blank', 'noopener');
      return address;
    },
    errors: 'here',
  });
  return (
    <form
      aria-label="Preview a port"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        look.mutate();
      }}
    >
      <p className="text-ink-2">Opens what a server in the sandbox shows, in a new tab.</p>
      <Field label="Port" hint="The server listens on 127.0.0.1 in the sandbox.">
        {(attributes) => (
          <input
            {...attributes}
            type="number"
            required
            min={1}
            max={65_535}
            value={port}
            onChange={({ target }) => setPort(target.value)}
            className={fieldClass}
          />
        )}
      </Field>
      <Field label="Path" hint="Begins at / by default.">
        {(attributes) => (
          <input
            {...attributes}
            type="text"
            maxLength={2_000}
            placeholder="/"
            value={path}
            onChange={({ target }) => setPath(target.value)}
            className={fieldClass}
          />
        )}
      </Field>
      {look.isError && (
        <p role="alert" className="break-words text-bad">
          {failureOf(look.error).message}
        </p>
      )}
      {look.isSuccess && (
        <p role="status" className="flex flex-wrap items-center gap-x-2 text-ink-2">
          The server answers. No tab opened?
          <a href={look.data} target="_blank" rel="noopener noreferrer" className={buttonClass('bare')}>
            Open it here
          </a>
        </p>
      )}
      <Button type="submit" look="primary" disabled={look.isPending} className="self-start">
        {look.isPending ? 'Asking the server …' : 'Open the preview'}
      </Button>
    </form>
  );
}
