import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { OneTimeSecret } from '../../ui/OneTimeSecret.tsx';
import { Body, Page, backLink } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { WebhookForm } from './WebhookForm.tsx';

/** A new webhook, and then its secret, once. */
export function NewWebhookScreen() {
  const { org } = useParams({ from: '/$org/webhooks/new' });
  const [made, setMade] = useState<Schemas['WebhookWithSecret']>();
  return (
    <Page
      title="New webhook"
      back={
        <Link to="/$org/webhooks" params={{ org }} aria-label="All webhooks" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          {made === undefined ? (
            <WebhookForm org={org} created={setMade} />
          ) : (
            <>
              <OneTimeSecret
                label={`The secret of ${made.name === '' ? 'the webhook' : made.name}`}
                value={made.secret}
                note="Requests are signed with it, as Standard Webhooks describes."
              />
              <div>
                <Link to="/$org/webhooks/$id" params={{ org, id: made.id }} className={buttonClass('primary')}>
                  To the webhook
                </Link>
              </div>
            </>
          )}
        </Body>
      </Guarded>
    </Page>
  );
}
