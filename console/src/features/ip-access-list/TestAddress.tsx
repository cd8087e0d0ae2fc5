import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failureOf } from '../../lib/errors.ts';
import { Button } from '../../ui/Button.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { ipCheckQuery, type IpAccessCheck } from './queries.ts';

export interface TestAddressProps {
  org: string;
  /** The tested address, of the page's address. */
  ip: string | undefined;
  onChange: (ip: string) => void;
}

/** Says of any address what the saved list does with it. */
export function TestAddress({ org, ip, onChange }: TestAddressProps) {
  const [text, setText] = useState(ip ?? '');
  const check = useQuery({ ...ipCheckQuery(org, ip), enabled: ip !== undefined });
  const problem = check.isError ? failureOf(check.error).message : undefined;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <Field label="Address" hint="IPv4 or IPv6. The saved list is asked." problem={problem}>
        {(attributes) => (
          <span className="flex gap-2">
            <input
              {...attributes}
              value={text}
              maxLength={64}
              autoComplete="off"
              onChange={({ target }) => setText(target.value)}
              className={`${fieldClass} max-w-80 font-mono`}
            />
            <Button type="submit" disabled={text.trim() === ''}>
              Test
            </Button>
          </span>
        )}
      </Field>
      <p role="status">{check.data !== undefined && ip !== undefined && <Verdict check={check.data} />}</p>
    </form>
  );
}

function Verdict({ check: { ip, allowed, matched } }: { check: IpAccessCheck }) {
  if (!allowed)
    return (
      <span className="text-bad">
        <code>{ip}</code> is refused: no range contains it.
      </span>
    );
  return (
    <>
      <code>{ip}</code> is allowed:{' '}
      {matched === '' ? (
        'the list is off'
      ) : (
        <>
          by <code>{matched}</code>
        </>
      )}
      .
    </>
  );
}
