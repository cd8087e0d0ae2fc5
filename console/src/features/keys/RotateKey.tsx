import { useState } from 'react';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { IssuedKeyNote } from './IssuedKey.tsx';
import type { Key, KeyOwner } from './owner.ts';

const overlaps = [
  [0, 'at once'],
  [3_600, 'in an hour'],
  [86_400, 'tomorrow'],
  [604_800, 'in a week'],
] as const;

export interface RotateKeyProps {
  name: Key['name'];
  keyId: string;
  rotate: NonNullable<KeyOwner['rotate']>;
  org: string;
  close: () => void;
}

/** Replaces a key by one of the same name, scopes and addresses; both work for as long as is chosen. */
export function RotateKey({ name, keyId, rotate, org, close }: RotateKeyProps) {
  const [overlap, setOverlap] = useState(86_400);
  const action = useAction({ call: () => rotate(keyId, overlap), touches: [keys.lists(org, 'keys')] });
  if (action.data !== undefined)
    return (
      <div className="flex flex-col items-start gap-3">
        <IssuedKeyNote value={action.data.key} />
        <Button onClick={close}>Done</Button>
      </div>
    );
  return (
    <section aria-label={`Rotate ${name}`} className="flex flex-col gap-3 border-l-2 border-accent px-4 py-2">
      <p>
        A new key with the name, scopes and addresses of <b>{name}</b> takes its place.
      </p>
      <Field label="The old key stops">
        {(attributes) => (
          <select
            {...attributes}
            autoFocus
            value={overlap}
            onChange={({ target }) => setOverlap(Number(target.value))}
            className={`${fieldClass} max-w-64`}
          >
            {overlaps.map(([seconds, word]) => (
              <option key={seconds} value={seconds}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => action.mutate()} disabled={action.isPending}>
          Rotate the key
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </section>
  );
}
