import { useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';

/**
 * A field for a secret value of several lines, covered while it is written. It is no password field, so that no browser
 * offers to store the value.
 */
export function ValueField({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const { register, getFieldState, formState } = useFormContext();
  const [isShown, setShown] = useState(false);
  return (
    <div className="flex flex-col items-start gap-1">
      <div className="w-full">
        <Field
          label={label}
          {...(hint === undefined ? {} : { hint })}
          problem={getFieldState(name, formState).error?.message}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={2}
              autoComplete="off"
              autoCorrect="off"
              autoCapitalize="off"
              spellCheck={false}
              className={`field-sizing-content max-h-64 w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono break-all aria-invalid:border-bad ${isShown ? '' : '[-webkit-text-security:disc]'}`}
              {...register(name)}
            />
          )}
        </Field>
      </div>
      <Button look="bare" onClick={() => setShown(!isShown)} className="-ml-3">
        {isShown ? 'Cover what I write' : 'Show what I write'}
      </Button>
    </div>
  );
}
