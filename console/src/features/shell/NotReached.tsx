import { Failed } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';

/** The page while nothing can be read of the organization: why, and a retry. */
export function NotReached({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main>
      <Page title="Guildhall" tab="" recent="">
        <Failed error={error} retry={retry} />
      </Page>
    </main>
  );
}
