import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useLeaveGuard } from '../../forms/useLeaveGuard.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { parseEnv, type Env } from './env.ts';
import { PasteRows } from './PasteRows.tsx';
import { PlaceFields } from './PlaceFields.tsx';
import type { Place } from './queries.ts';

/** The page that stores the variables of a `.env` file as secrets. The text is read here and goes nowhere else. */
export function PasteScreen() {
  const { org } = useParams({ from: '/$org/secrets/paste' });
  return (
    <Page
      title="Paste .env"
      back={
        <Link to="/$org/secrets" params={{ org }} aria-label="All secrets" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="secrets:write">
        <Body>
          <Paste org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function Paste({ org }: { org: string }) {
  const form = useForm<Place>({ defaultValues: { scope: 'organization', repo: '' } });
  const [env, setEnv] = useState<Env>();
  const place = form.watch();
  if (env === undefined) return <PasteText onRead={setEnv} />;
  return (
    <FormProvider {...form}>
      {env.cut !== '' && <p className="text-bad">{env.cut}</p>}
      {env.rows.length === 0 ? (
        <p className="text-ink-2">No line of it sets a variable.</p>
      ) : (
        <>
          <PlaceFields org={org} />
          <PasteRows key={`${place.scope} ${place.repo}`} org={org} rows={env.rows} place={place} />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setEnv(undefined)}>Paste something else</Button>
        <Link to="/$org/secrets" params={{ org }} className={buttonClass('bare')}>
          To the secrets
        </Link>
      </div>
    </FormProvider>
  );
}

function PasteText({ onRead }: { onRead: (env: Env) => void }) {
  const [text, setText] = useState('');
  useLeaveGuard(text.trim() !== '', 'What you pasted is not stored.');
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onRead(parseEnv(text));
      }}
    >
      <Field
        label="The text of a .env file"
        hint="Your browser reads it. Nothing is stored before you have seen its rows."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={8}
            value={text}
            autoComplete="off"
            autoCorrect="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder={'NPM_TOKEN=…\nexport DATABASE_URL="…"'}
            onChange={({ target }) => setText(target.value)}
            className="max-h-[60vh] w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono break-all placeholder:text-ink-3 [-webkit-text-security:disc] placeholder-shown:[-webkit-text-security:none]"
          />
        )}
      </Field>
      <p>
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          Read it
        </Button>
      </p>
    </form>
  );
}
