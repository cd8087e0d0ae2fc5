import { useState, type FormEvent } from 'react';
import { apiOf, unwrap, type Session } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { budgetOf, doubled, limits } from './budget.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}';

/** The two ways on from a reached limit: raise it, or end the session. */
export function BudgetActions({ org, session }: { org: string; session: Session }) {
  const confirm = useConfirm();
  const params = { path: { id: session.id } };
  const end = useAction({
    call: () => unwrap(apiOf(org).POST(`${path}/cancel`, { params })),
    touches: [[org, 'sessions']],
    says: `Ended: ${session.title}`,
  });
  const ask = async () => {
    const text = 'It cannot be resumed. Its pushed branches and its log stay.';
    if (await confirm({ title: 'End this session?', text, action: 'End' })) end.mutate();
  };
  return (
    <p className="flex gap-2 pt-1">
      <Popover title="Raise the limits" label="Raise">
        {(close) => <RaiseForm org={org} session={session} close={close} />}
      </Popover>
      <Button disabled={end.isPending} onClick={() => void ask()}>
        End
      </Button>
    </p>
  );
}

function RaiseForm({ org, session, close }: { org: string; session: Session; close: () => void }) {
  const { id, budget } = session;
  const [entered, setEntered] = useState(() => doubled(budget));
  const raise = useAction({
    call: async () => {
      const params = { path: { id } };
      await unwrap(apiOf(org).PATCH(path, { params, body: { budget: budgetOf(entered) } }));
      return unwrap(apiOf(org).POST(`${path}/resume`, { params }));
    },
    touches: [[org, 'sessions']],
    says: `Continues: ${session.title}`,
    done: close,
    errors: 'here',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!raise.isPending) raise.mutate();
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      {limits
        .filter(({ name }) => budget[name] !== undefined)
        .map(({ name, label, step }) => (
          <Field key={name} label={label} hint={`Until now ${budget[name]}. Empty: no limit of its own.`}>
            {(attributes) => (
              <input
                {...attributes}
                type="number"
                inputMode="decimal"
                min={step}
                step={step === 1 ? 1 : 'any'}
                value={entered[name] ?? ''}
                onChange={({ target }) => setEntered({ ...entered, [name]: target.value })}
                className={`${fieldClass} font-mono`}
              />
            )}
          </Field>
        ))}
      {raise.isError && (
        <p role="alert" className="text-bad">
          {failureOf(raise.error).message}
        </p>
      )}
      <Button type="submit" look="primary" disabled={raise.isPending}>
        Raise and continue
      </Button>
    </form>
  );
}
