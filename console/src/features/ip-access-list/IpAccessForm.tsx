import { Plus, X } from 'lucide-react';
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { CheckField, Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldClass } from '../../ui/Field.tsx';
import { isInside } from './cidr.ts';
import { ipAccessPath, type IpAccessList } from './queries.ts';

interface Values {
  enabled: boolean;
  entries: { cidr: string; note: string }[];
}

const most = 200;

export interface IpAccessFormProps {
  org: string;
  list: Tagged<IpAccessList>;
  /** The reader's own address; '' while it is not known. */
  ownIp: string;
}

/** Changes the list as a whole. What would lock out its editor is not sent. */
export function IpAccessForm({ org, list, ownIp }: IpAccessFormProps) {
  const form = useApiForm({
    values: { enabled: list.enabled, entries: list.entries.map(({ cidr, note }) => ({ cidr, note })) },
    etag: list.etag,
    text: { name: 'access-list.txt', of: textOf },
    call: ({ enabled, entries }: Values, header) =>
      unwrap(
        apiOf(org).PUT(ipAccessPath, {
          params: { header },
          body: { enabled, entries: entries.map(({ cidr, note }) => ({ cidr: cidr.trim(), note })) },
        }),
      ),
    touches: [keys.all(org, 'ip-access-list')],
    says: ({ enabled }) => (enabled ? 'Saved. The list holds from now on.' : 'Saved. The list is off.'),
  });
  const { control } = form.form;
  const { enabled, entries } = useWatch({ control });
  const ranges = (entries ?? []).map(({ cidr }) => cidr ?? '');
  const isOutside = enabled === true && ownIp !== '' && !isInside(ownIp, ranges);
  return (
    <Form of={{ ...form, isDirty: form.isDirty && !isOutside }} action="Save the list">
      <CheckField name="enabled" label="Refuse all other addresses" />
      <Ranges />
      {isOutside && (
        <p role="alert" className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2">
          This would lock you out: you are at <code>{ownIp}</code>, and no range contains that. Add it, or leave the
          list off.
        </p>
      )}
    </Form>
  );
}

function textOf({ enabled, entries }: Values): string {
  const lines = entries.map(({ cidr, note }) => (note === '' ? cidr : `${cidr}  ${note}`));
  return [enabled ? 'on' : 'off', ...lines, ''].join('\n');
}

function Ranges() {
  const { control } = useFormContext<Values>();
  const { fields, append, remove } = useFieldArray({ control, name: 'entries' });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-2 font-medium">Allowed addresses and ranges</legend>
      {fields.map(({ id }, at) => (
        <Range key={id} at={at} remove={() => remove(at)} />
      ))}
      {fields.length < most && (
        <div>
          <Button onClick={() => append({ cidr: '', note: '' })}>
            <Plus size={16} strokeWidth={1.5} aria-hidden />
            Add a range
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Range({ at, remove }: { at: number; remove: () => void }) {
  const { register, getFieldState, formState } = useFormContext<Values>();
  const problem = getFieldState(`entries.${at}.cidr`, formState).error?.message;
  const note = `range-${at}-problem`;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex gap-2">
        <input
          aria-label={`Range ${at + 1}`}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : note}
          placeholder="192.0.2.0/24"
          maxLength={64}
          autoComplete="off"
          className={`${fieldClass} max-w-64 min-w-0 flex-1 font-mono`}
          {...register(`entries.${at}.cidr`)}
        />
        <input
          aria-label={`Note on range ${at + 1}`}
          placeholder="Note"
          maxLength={500}
          autoComplete="off"
          className={`${fieldClass} min-w-0 flex-1`}
          {...register(`entries.${at}.note`)}
        />
        <Button look="bare" aria-label={`Remove range ${at + 1}`} onClick={remove} className="px-2">
          <X size={16} strokeWidth={1.5} aria-hidden />
        </Button>
      </div>
      {problem !== undefined && (
        <p id={note} role="alert" className="text-meta text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
