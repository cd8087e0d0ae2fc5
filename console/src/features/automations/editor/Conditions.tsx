import { Plus, X } from 'lucide-react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { SelectField, TextField } from '../../../forms/Form.tsx';
import { Button } from '../../../ui/Button.tsx';
import { needsValue, operators, type TriggerType } from '../words.ts';
import type { EditorValues } from './values.ts';

/** The fields that people ask for first. */
const firstPath: Partial<Record<TriggerType, string>> = {
  push: '/branch',
  change_request: '/action',
  webhook: '/action',
};

/** What the payload of a trigger must say. */
export function Conditions({ at, type }: { at: number; type: TriggerType }) {
  const { control } = useFormContext<EditorValues>();
  const { fields, append, remove } = useFieldArray({ control, name: `triggers.${at}.conditions` });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-ink-2">
        {fields.length === 0
          ? 'Every one starts a run.'
          : 'Only if all of this holds. A path leads into what it sends.'}
      </legend>
      {fields.map(({ id }, row) => (
        <Row key={id} name={`triggers.${at}.conditions.${row}`} row={row} remove={() => remove(row)} />
      ))}
      {fields.length < 20 && (
        <div>
          <Button
            look="bare"
            className="px-1"
            onClick={() => append({ path: firstPath[type] ?? '', operator: 'equals', value: '' })}
          >
            <Plus size={16} strokeWidth={1.5} aria-hidden /> Condition
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Row({
  name,
  row,
  remove,
}: {
  name: `triggers.${number}.conditions.${number}`;
  row: number;
  remove: () => void;
}) {
  const { watch } = useFormContext<EditorValues>();
  const operator = watch(`${name}.operator`);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-2 sm:grid-cols-[minmax(0,1fr)_140px_minmax(0,1fr)_auto]">
      <TextField name={`${name}.path`} label="Path" mono maxLength={500} placeholder="/branch" />
      <SelectField name={`${name}.operator`} label="Compared" options={operators} />
      {needsValue(operator) ? (
        <TextField name={`${name}.value`} label="Value" mono maxLength={1_000} />
      ) : (
        <span className="max-sm:hidden" />
      )}
      <Button look="bare" aria-label={`Remove condition ${row + 1}`} className="mt-6 px-2" onClick={remove}>
        <X size={16} strokeWidth={1.5} aria-hidden />
      </Button>
    </div>
  );
}
