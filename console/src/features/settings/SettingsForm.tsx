import { useEffect, useRef, useState } from 'react';
import { SchemaContext, type ChooserProps } from '../../forms/schema/context.ts';
import { SchemaFields } from '../../forms/schema/SchemaFields.tsx';
import type { SchemaField } from '../../forms/schema/shape.ts';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { queryClient, replaceData } from '../../lib/query.ts';
import { useAction } from '../../lib/useAction.ts';
import { Refusal } from '../../ui/Notice.tsx';
import { AgentPicker } from '../agents/AgentPicker.tsx';
import { useCan } from '../shell/useCan.ts';
import { Conflict } from './Conflict.tsx';
import { valueOf, type Chosen, type SettingsRecord } from './draft.ts';
import { SaveBar } from './SaveBar.tsx';
import { useDraft } from './useDraft.ts';
import { usePickerOptions } from './usePickerOptions.ts';

interface SettingsFormProps {
  org: string;
  fields: readonly SchemaField[];
  latest: SettingsRecord;
}

/** The form of a namespace. It sends what was chosen, and only on top of what the person saw. */
export function SettingsForm({ org, fields, latest }: SettingsFormProps) {
  const [isTyping, setTyping] = useState(false);
  const draft = useDraft(fields, latest, isTyping);
  const { namespace } = latest;
  const [problems, setProblems] = useState<Record<string, string>>({});
  const form = useRef<HTMLFormElement>(null);
  const action = useAction({
    call: (chosen: Chosen) =>
      unwrap(
        apiOf(org).PUT('/v3/organizations/{orgId}/settings/{namespace}', {
          params: { path: { namespace }, header: { 'if-match': `"${draft.base.revision}"` } },
          body: { ...chosen },
        }),
      ),
    touches: [keys.lists(org, 'settings'), keys.self(org)],
    says: 'Saved.',
    done: async (saved, sent) => {
      await replaceData(queryClient, keys.one(org, 'settings', namespace), saved);
      draft.saved(saved, sent);
    },
    errors: 'here',
    until: 'answered',
  });
  const { error } = action;
  useEffect(() => {
    if (!(error instanceof ApiError)) return;
    setProblems(Object.fromEntries(error.issues.map(({ path, message }) => [path.join('.'), message])));
    // Shows what is there now beside the draft.
    if (error.status === 412) void queryClient.invalidateQueries({ queryKey: keys.one(org, 'settings', namespace) });
  }, [error, org, namespace]);
  useEffect(() => {
    if (Object.keys(problems).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problems]);
  const options = usePickerOptions(org, fields);
  const canReadAgents = useCan(org, 'org:read');
  const agentField = (props: ChooserProps) => <AgentPicker org={org} none="none chosen" {...props} />;
  const isConflict = error instanceof ApiError && error.status === 412;
  const isShown = ({ path }: { path: string[] }): boolean => fields.some(({ key }) => key === path[0]);
  const isAtFields = error instanceof ApiError && error.issues.length > 0 && error.issues.every(isShown);
  const save = () => {
    setProblems({});
    action.mutate(draft.chosen);
  };
  return (
    <>
      <form
        ref={form}
        noValidate
        className="flex w-full max-w-[960px] flex-1 flex-col gap-6 px-4 pb-6 sm:px-6"
        onInput={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        onSubmit={(event) => event.preventDefault()}
      >
        {draft.theirs !== undefined && (
          <Conflict fields={fields} draft={draft} theirs={draft.theirs} isRefused={isConflict} />
        )}
        {error !== null && !isConflict && !isAtFields && <Refusal of={failureOf(error)} />}
        <SchemaContext value={{ problems, options, ...(canReadAgents ? { agentField } : {}) }}>
          <SchemaFields
            key={draft.version}
            fields={fields}
            valueOf={(field) => valueOf(field, draft.chosen)}
            isChosen={({ key }) => Object.hasOwn(draft.chosen, key)}
            onChange={(field, value) => {
              setProblems((all) => without(all, field.key));
              draft.change(field, value);
            }}
          />
        </SchemaContext>
      </form>
      <SaveBar
        draft={draft}
        isPending={action.isPending}
        save={draft.isDirty && draft.theirs === undefined ? save : undefined}
      />
    </>
  );
}

function without(problems: Record<string, string>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(problems).filter(([path]) => path !== key && !path.startsWith(`${key}.`)));
}
