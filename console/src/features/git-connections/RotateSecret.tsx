import { Form, NumberField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { connectionsPath, type Connection } from './queries.ts';

/** A secret that is shown once, and until when the one before is valid. */
export interface Rotated {
  secret: string;
  note: string;
}

interface Props {
  org: string;
  connection: Connection;
  done: (rotated: Rotated) => void;
  close: () => void;
}

interface Values {
  hours: number | null;
}

/** Replaces the secret that signs the deliveries of a host. */
export function RotateSecret({ org, connection: { id }, done, close }: Props) {
  const of = useApiForm({
    values: { hours: 24 },
    isFleeting: true,
    fieldOf: (path) => (path === 'overlap_seconds' ? 'hours' : path),
    call: ({ hours }: Values) =>
      unwrap(
        apiOf(org).POST(`${connectionsPath}/{id}/rotate-webhook-secret`, {
          params: { path: { id } },
          body: { overlap_seconds: Math.round((hours ?? 0) * 3_600) },
        }),
      ),
    touches: [keys.all(org, 'git-connections')],
    done: ({ webhook_secret: secret }, { hours }) => done({ secret, note: noteOf(hours ?? 0) }),
  });
  return (
    <Form
      of={of}
      action="Rotate it"
      pending="One moment …"
      needsChange={false}
      others={<Button onClick={close}>Cancel</Button>}
    >
      <p className="max-w-[72ch] text-ink-2">
        Webhooks that Guildhall created get the new secret by themselves. Enter it at the host where you added the
        webhook yourself.
      </p>
      <NumberField
        name="hours"
        label="Hours for which the secret before stays valid"
        hint="0 to 168. With 0, deliveries that it signs are refused at once."
        min={0}
        max={168}
        step="any"
      />
    </Form>
  );
}

function noteOf(hours: number): string {
  if (hours === 0) return 'The one before is no longer valid.';
  return `The one before stays valid for ${hours} ${hours === 1 ? 'hour' : 'hours'}.`;
}
