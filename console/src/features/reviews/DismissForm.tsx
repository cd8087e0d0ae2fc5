import { Button } from '../../ui/Button.tsx';
import { useText } from '../change-requests/useText.ts';
import { WriteForm } from '../change-requests/WriteForm.tsx';
import type { Finding } from './queries.ts';
import { useDecision } from './useDecision.ts';

/** Asks why a finding is dismissed; later reviews read the answer. */
export function DismissForm({ org, finding, close }: { org: string; finding: Finding; close: () => void }) {
  const { text, write } = useText(`dismiss/${finding.id}`);
  const decide = useDecision(org, finding, {
    errors: 'here',
    done: () => {
      write('');
      close();
    },
  });
  const submit = () => {
    if (!decide.isPending) decide.mutate({ status: 'dismissed', reason: text.trim() });
  };
  return (
    <WriteForm
      label="Why is it dismissed?"
      text={text}
      write={write}
      submit={submit}
      error={decide.error}
      longest={2_000}
      isFocused
      close={close}
    >
      <Button type="submit" look="primary" disabled={decide.isPending}>
        Dismiss
      </Button>
      <Button onClick={close}>Cancel</Button>
    </WriteForm>
  );
}
