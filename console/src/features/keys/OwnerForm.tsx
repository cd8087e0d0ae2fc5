import { Form, LongTextField, TextField } from '../../forms/Form.tsx';
import { useApiForm, type ApiFormOptions } from '../../forms/useApiForm.ts';

/** What is said of an owner of keys: an app, or a service user. */
export interface OwnerValues {
  name: string;
  description: string;
}

/** The form that creates or changes an owner of keys. */
export function OwnerForm<Result>({
  action,
  ...options
}: Omit<ApiFormOptions<OwnerValues, Result>, 'text' | 'seen' | 'fieldOf'> & {
  /** The word on the button. */
  action: string;
}) {
  const form = useApiForm(options);
  return (
    <Form of={form} action={action}>
      <TextField name="name" label="Name" maxLength={100} />
      <LongTextField name="description" label="Description" rows={2} maxLength={2_000} />
    </Form>
  );
}
