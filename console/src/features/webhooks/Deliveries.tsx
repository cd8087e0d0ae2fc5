import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { DeliveryDetail } from './DeliveryDetail.tsx';
import { deliveriesQuery, type Delivery, type Webhook } from './queries.ts';
import { deliveryState, deliveryStates } from './words.ts';

/** What a webhook has sent, newest first; the one in the address is shown whole above the others. */
export function Deliveries({ org, hook, canWrite }: { org: string; hook: Webhook; canWrite: boolean }) {
  const { state, delivery: openId } = useSearch({ from: '/$org/webhooks/$id' });
  const navigate = useNavigate({ from: '/$org/webhooks/$id' });
  const query = useInfiniteQuery({
    ...deliveriesQuery(org, hook.id, state),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((one) => one.state === 'pending')) === true ? 3_000 : false,
  });
  const open = query.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === openId);
  const change = (part: object) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <div className="pt-3">
      {open !== undefined && (
        <DeliveryDetail
          key={open.id}
          org={org}
          hook={hook}
          delivery={open}
          canWrite={canWrite}
          close={() => change({ delivery: undefined })}
        />
      )}
      {openId !== undefined && open === undefined && query.isSuccess && (
        <Notice close={() => change({ delivery: undefined })} />
      )}
      <Filters>
        <FilterSelect label="State" value={state} options={deliveryStates} onChange={(to) => change({ state: to })} />
      </Filters>
      <DataTable
        label="Deliveries"
        query={query}
        columns={columnsOf(org, hook.id, state)}
        keyOf={({ id }) => id}
        clear={state === undefined ? undefined : () => change({ state: undefined })}
        empty={
          <Empty>
            Nothing was sent yet. {canWrite ? 'Send a test to see whether the receiver accepts it.' : ''} Deliveries are
            kept for 7 days.
          </Empty>
        }
      />
    </div>
  );
}

/** Says why the delivery of the address does not show. */
function Notice({ close }: { close: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-2 px-4 pb-3 text-ink-2 sm:px-6">
      The delivery of this link is not among those that are listed. Deliveries are kept for 7 days.
      <Button look="bare" onClick={close}>
        Close
      </Button>
    </p>
  );
}

function columnsOf(org: string, id: string, state: string | undefined): Column<Delivery>[] {
  return [
    {
      name: 'Event',
      cell: (delivery) => (
        <>
          <Link
            to="/$org/webhooks/$id"
            params={{ org, id }}
            search={{ delivery: delivery.id, ...(state === undefined ? {} : { state }) }}
            className={`${rowLink} mono`}
          >
            {delivery.type}
          </Link>
          <span className="block text-meta text-ink-3 md:hidden">
            <Time at={delivery.created_at} />
          </span>
        </>
      ),
    },
    {
      name: 'State',
      width: '104px',
      cell: (delivery) => <Chip tone={deliveryState(delivery).tone}>{deliveryState(delivery).word}</Chip>,
    },
    {
      name: 'Response',
      wide: true,
      cell: ({ status_code: status, problem }) => (
        <span className="text-ink-2">
          {[status === null ? '' : String(status), problem].filter(Boolean).join(' · ')}
        </span>
      ),
    },
    { name: 'Attempts', width: '80px', wide: true, align: 'end', cell: ({ attempts }) => attempts },
    { name: 'When', width: '104px', wide: true, align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
