import { apiOf, unwrap } from '../../lib/api.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { WriteForm } from './WriteForm.tsx';
import { useText } from './useText.ts';

interface Props {
  org: string;
  session: string;
  /** The name under which the text is kept. */
  draft: string;
  label: string;
  /** Returns the message of what was written. */
  textOf: (text: string) => string;
  close: () => void;
}

/** A message to the session of a change request, which begins its next turn. */
export function AskForm({ org, session: id, draft, label, textOf, close }: Props) {
  const { text, write } = useText(draft);
  const ask = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/messages', {
          params: { path: { id } },
          body: { content: textOf(text.trim()) },
        }),
      ),
    touches: [[org, 'sessions']],
    says: 'The session has your message.',
    errors: 'here',
    done: () => {
      write('');
      close();
    },
  });
  const submit = () => {
    if (text.trim() !== '' && !ask.isPending) ask.mutate();
  };
  return (
    <WriteForm label={label} text={text} write={write} submit={submit} error={ask.error} isFocused close={close}>
      <Button type="submit" look="primary" disabled={text.trim() === '' || ask.isPending}>
        Send to the session
      </Button>
      <Button onClick={close}>Cancel</Button>
    </WriteForm>
  );
}
