import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Trash2 } from 'lucide-react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import type { Webhook } from './queries.ts';

const path = '/v3/organizations/{orgId}/webhooks/{id}';

interface Props {
  org: string;
  hook: Webhook;
  /** Told the delivery of a test. */
  tested: (delivery: string) => void;
  /** Told the new secret. */
  rotated: (secret: string) => void;
}

/** Tests a webhook, replaces its secret, deletes it. */
export function WebhookActions({ org, hook: { id, name, url }, tested, rotated }: Props) {
  const navigate = useNavigate();
  const ask = useConfirm();
  const params = { path: { id } };
  const lists = keys.lists(org, 'webhooks');
  const test = useAction({
    call: () => unwrap(apiOf(org).POST(`${path}/test`, { params, body: {} })),
    touches: [lists],
    says: ({ state }) => (state === 'delivered' ? 'The receiver accepted the test.' : 'The test was not accepted.'),
    done: (delivery) => tested(delivery.id),
  });
  const rotate = useAction({
    call: () => unwrap(apiOf(org).POST(`${path}/rotate-secret`, { params, body: {} })),
    touches: [keys.one(org, 'webhooks', id)],
    done: ({ secret }) => rotated(secret),
  });
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(path, { params })),
    says: 'The webhook is deleted.',
    leaves: true,
    done: () => navigate({ to: '/$org/webhooks', params: { org } }),
    touches: [lists],
  });
  const askToRotate = async () => {
    const text = 'The receiver needs the new secret within a day. Until then requests have signatures of both.';
    if (await ask({ title: 'Replace the secret?', text, action: 'Replace it' })) rotate.mutate();
  };
  const askToDelete = async () => {
    const text = 'Nothing is sent to it any more. Its deliveries are deleted too.';
    if (await ask({ title: `Delete ${name === '' ? url : name}?`, text, action: 'Delete' })) remove.mutate();
  };
  return (
    <>
      <Menu
        label="More about the webhook"
        items={[
          { label: 'Replace the secret …', icon: KeyRound, select: () => void askToRotate() },
          { label: 'Delete …', icon: Trash2, danger: true, select: () => void askToDelete() },
        ]}
      />
      <Button look="primary" disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? 'Sending …' : 'Send a test'}
      </Button>
    </>
  );
}
