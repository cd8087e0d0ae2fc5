import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { CopyLine } from '../../ui/OneTimeSecret.tsx';
import { Time } from '../../ui/Time.tsx';
import { connectionsPath, type GitApp } from './queries.ts';

/** The webhook of an App: its address, and its secret, which GitHub is given without a person seeing it. */
export function AppWebhook({ org, app }: { org: string; app: GitApp }) {
  const { id, name, host, webhook_url: url, webhook_secret_rotated_at: rotated } = app;
  const ask = useConfirm();
  const rotate = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST(`${connectionsPath}/apps/{id}/rotate-webhook-secret`, { params: { path: { id } }, body: {} }),
      ),
    touches: [keys.lists(org, 'git-apps')],
    says: `${host} signs with the new secret from now on.`,
    errors: 'here',
  });
  const confirm = async () => {
    const text = `${host} gets a new secret and the present address. Deliveries that the old one signed are accepted for ten more minutes, so none is lost.`;
    if (await ask({ title: `Rotate the webhook secret of ${name}?`, text, action: 'Rotate it', look: 'primary' }))
      rotate.mutate();
  };
  return (
    <>
      <div className="flex flex-col gap-1">
        <span className="text-ink-3">Webhook</span>
        <CopyLine value={url} />
      </div>
      <p className="flex flex-wrap items-center gap-3">
        <Button onClick={() => void confirm()} disabled={rotate.isPending}>
          {rotate.isPending ? 'Asking the host …' : 'Rotate its webhook secret'}
        </Button>
        <span className="text-ink-2">
          {rotated === null ? (
            'It is the one that GitHub chose.'
          ) : (
            <>
              Rotated <Time at={rotated} />
            </>
          )}
        </span>
      </p>
      {rotate.error !== null && <Failed error={rotate.error} retry={() => rotate.mutate()} />}
    </>
  );
}
