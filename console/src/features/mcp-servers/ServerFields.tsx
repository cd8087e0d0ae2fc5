import { useFormContext, useWatch } from 'react-hook-form';
import { CheckField, LongTextField, SelectField, TextField } from '../../forms/Form.tsx';
import { accesses } from './queries.ts';
import type { ServerValues } from './values.ts';

const placeholders = 'Write ${NAME} where a secret stands; its value is set on the page of the server.';

/** The fields of an MCP server. Its transport cannot change afterwards. */
export function ServerFields({ isNew }: { isNew: boolean }) {
  const { control } = useFormContext<ServerValues>();
  const [transport, access] = useWatch({ control, name: ['transport', 'access'] });
  return (
    <>
      <TextField name="name" label="Name" maxLength={200} />
      <TextField name="description" label="Description" hint="For people." maxLength={2_000} />
      {isNew && (
        <SelectField
          name="transport"
          label="How is it reached?"
          options={[
            ['url', 'At a URL, through the gateway'],
            ['command', 'As a command in the sandbox'],
          ]}
        />
      )}
      {transport === 'url' ? (
        <>
          <TextField name="url" label="URL" type="url" placeholder="https://issues.example.com/mcp" mono />
          <LongTextField
            name="headers"
            label="Headers"
            hint={`One a line. ${placeholders}`}
            placeholder={'Authorization: Bearer ${ISSUES_TOKEN}'}
            rows={2}
            mono
          />
        </>
      ) : (
        <>
          <TextField name="command" label="Command" placeholder="npx" maxLength={1_000} mono />
          <LongTextField name="args" label="Arguments" hint="One a line." rows={2} mono />
          <LongTextField
            name="env"
            label="Variables"
            hint={`NAME=value, one a line. ${placeholders}`}
            placeholder={'API_KEY=${FILES_KEY}'}
            rows={2}
            mono
          />
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField name="access" label="Which sessions get its tools?" options={accesses} />
        <TextField
          name="slug"
          label="Prefix of its tools"
          hint={isNew ? 'Empty: made of the name.' : 'Tools are named prefix__tool.'}
          maxLength={40}
          mono
        />
      </div>
      {access === 'repositories' && (
        <LongTextField name="repos" label="Repositories" hint="owner/name, one a line." rows={2} mono />
      )}
      <CheckField name="enabled" label="On: sessions get its tools" />
    </>
  );
}
