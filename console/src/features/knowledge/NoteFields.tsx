import type { Schemas } from '../../lib/api.ts';
import { CheckField, LongTextField, SelectField, TextField } from '../../forms/Form.tsx';
import { scopes, type Note } from './queries.ts';

export type NoteValues = Required<Schemas['CreateKnowledgeNoteRequest']>;

export const newNote: NoteValues = {
  name: '',
  trigger: '',
  body: '',
  scope: 'organization',
  repo_filter: '',
  enabled: true,
};

export function valuesOf({ name, trigger, body, scope, repo_filter: repos, enabled }: Note): NoteValues {
  return { name, trigger, body, scope, repo_filter: repos, enabled };
}

/** The fields of a note. */
export function NoteFields({ hasState = true }: { hasState?: boolean }) {
  return (
    <>
      <TextField name="name" label="Name" maxLength={200} />
      <LongTextField
        name="trigger"
        label="When is it useful?"
        hint="Prompts are compared with these words, and with the name."
        rows={2}
        maxLength={2_000}
      />
      <LongTextField name="body" label="What should an agent know?" hint="Markdown, at most 100 KiB." rows={12} mono />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField name="scope" label="Who gets it?" options={scopes} />
        <TextField
          name="repo_filter"
          label="Repositories"
          hint="Empty: all. Else names with commas between, such as acme/shop, acme/*."
          placeholder="acme/*"
          mono
        />
      </div>
      {hasState && <CheckField name="enabled" label="On: sessions get it when it fits" />}
    </>
  );
}
