import { LongTextField, TextField } from '../../forms/Form.tsx';

/** How sessions on a repository are set up and checked. */
export function EnvironmentFields() {
  return (
    <>
      <LongTextField
        name="environment.setup_command"
        label="Setup command"
        hint="Installs what the code needs. Its result is kept until the lockfiles change."
        placeholder="npm ci"
        rows={1}
        maxLength={10_000}
        mono
      />
      <LongTextField
        name="environment.verify_command"
        label="Check"
        hint="The command that proves a task: it must fail before the change, and end with exit code 0 after it."
        placeholder="npm test"
        rows={1}
        maxLength={10_000}
        mono
      />
      <TextField
        name="environment.image"
        label="Sandbox image"
        hint="Empty: the default. Only for sandboxes that have images."
        maxLength={500}
        mono
      />
    </>
  );
}
