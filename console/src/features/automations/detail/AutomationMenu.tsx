import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Play, Trash2 } from 'lucide-react';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import type { Automation } from '../words.ts';

interface Props {
  org: string;
  automation: Automation;
  /** Told the automation with the new secret of its webhook. */
  rotated: (automation: Automation) => void;
  runWith: () => void;
}

/** The rarer actions on an automation. */
export function AutomationMenu({ org, automation, rotated, runWith }: Props) {
  const { id, name, triggers } = automation;
  const navigate = useNavigate();
  const ask = useConfirm();
  const params = { path: { id } };
  const rotate = useAction({
    call: () =>
      unwrap(apiOf(org).POST('/v3/organizations/{orgId}/automations/{id}/rotate-secret', { params, body: {} })),
    done: (after) => rotated(after),
  });
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE('/v3/organizations/{orgId}/automations/{id}', { params })),
    says: 'The automation is deleted.',
    leaves: true,
    done: () => navigate({ to: '/$org/automations', params: { org } }),
    touches: [keys.lists(org, 'automations')],
  });
  const askToRotate = async () => {
    const text = 'Senders need the new secret within a day. Until then both are valid.';
    if (await ask({ title: 'Replace the secret of its webhook?', text, action: 'Replace it' })) rotate.mutate();
  };
  const askToDelete = async () => {
    const text = 'Its runs are deleted too. Sessions that it started continue.';
    if (await ask({ title: `Delete ${name}?`, text, action: 'Delete' })) remove.mutate();
  };
  return (
    <Menu
      label="More about the automation"
      items={[
        { label: 'Run with a payload …', icon: Play, select: runWith },
        triggers.some(({ type }) => type === 'webhook') && {
          label: 'Replace the secret …',
          icon: KeyRound,
          select: () => void askToRotate(),
        },
        { label: 'Delete …', icon: Trash2, danger: true, select: () => void askToDelete() },
      ]}
    />
  );
}
