import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { samples } from '../editor/examples.ts';
import { PayloadField } from '../PayloadField.tsx';
import { payloadOf } from '../payload.ts';
import { hasPayload, type Trigger } from '../words.ts';

interface Props {
  triggers: readonly Trigger[];
  isPending: boolean;
  start: (payload: Record<string, unknown>) => void;
  close: () => void;
}

/** Starts a run with a payload, as if a trigger had sent it; its conditions do not apply. */
export function RunWith({ triggers, isPending, start, close }: Props) {
  const type = triggers.find((trigger) => hasPayload(trigger.type))?.type;
  const [text, setText] = useState(JSON.stringify(type === undefined ? {} : samples[type], null, 2));
  const payload = payloadOf(text);
  return (
    <form
      aria-label="Run with a payload"
      className="flex max-w-[640px] flex-col gap-3 border-l-2 border-line-strong pl-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (payload !== undefined) start(payload);
      }}
    >
      <PayloadField text={text} onChange={setText} />
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={payload === undefined || isPending}>
          Run with this
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
}
