import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';

type Result = Schemas['KnowledgeImport'];

const example = `---
name: Database migrations
trigger: Adding or changing a column of the database
repo_filter: acme/*
---
Each migration is a file of its own in db/migrations.`;

/** The page that makes notes of Markdown files. */
export function ImportScreen() {
  const { org } = useParams({ from: '/$org/knowledge/import' });
  return (
    <Page
      title="Import notes"
      back={
        <Link to="/$org/knowledge" params={{ org }} aria-label="All notes" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="memory:write">
        <Body>
          <Import org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function Import({ org }: { org: string }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const send = useAction({
    call: () => {
      const path = '/v3/organizations/{orgId}/knowledge/import';
      return unwrap(apiOf(org).POST(path, { body: { file: [...files] } }));
    },
    touches: [keys.all(org, 'knowledge')],
    errors: 'here',
  });
  return (
    <>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (files.length > 0 && !send.isPending) send.mutate();
        }}
      >
        <Field
          label="Markdown files, or a zip of them"
          hint="At most 32 MiB. A file with the name and scope of a note updates that note."
          problem={send.isError ? failureOf(send.error).message : undefined}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              multiple
              accept=".md,.markdown,.zip"
              onChange={({ target }) => {
                setFiles([...(target.files ?? [])]);
                send.reset();
              }}
              className={`${fieldClass} h-auto py-1 pointer-coarse:h-auto pointer-coarse:py-2`}
            />
          )}
        </Field>
        <p>
          <Button type="submit" look="primary" disabled={files.length === 0 || send.isPending}>
            {send.isPending ? 'Importing …' : 'Import'}
          </Button>
        </p>
      </form>
      {send.data !== undefined && <Results org={org} result={send.data} />}
      <Section title="A file">
        <p className="text-ink-2">
          The lines on top name the note and say when it is useful. <code>scope</code>, <code>repo_filter</code> and{' '}
          <code>enabled</code> may follow. An export has the same form.
        </p>
        <pre className="overflow-x-auto rounded-control bg-sunken p-3">{example}</pre>
      </Section>
    </>
  );
}

const mostShown = 500;
const tones = { created: 'run', updated: 'run', unchanged: 'plain', failed: 'bad' } as const;

function Results({ org, result }: { org: string; result: Result }) {
  const { created, updated, unchanged, failed } = result;
  const rows = result.items.toSorted((a, b) => Number(b.result === 'failed') - Number(a.result === 'failed'));
  return (
    <Section title="What happened">
      <p role="status">
        {created} created, {updated} updated, {unchanged} unchanged, {failed} failed.
      </p>
      <ul>
        {rows.slice(0, mostShown).map(({ file, result: outcome, note_id: noteId, reason }, at) => (
          <li key={at} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
            <Chip tone={tones[outcome]}>{outcome}</Chip>
            {noteId === '' ? (
              <code className="break-all">{file}</code>
            ) : (
              <Link to="/$org/knowledge/$noteId" params={{ org, noteId }} className="break-all underline">
                <code>{file}</code>
              </Link>
            )}
            <span className="text-ink-2">{reason}</span>
          </li>
        ))}
      </ul>
      {rows.length > mostShown && <p className="text-ink-2">And {rows.length - mostShown} more.</p>}
    </Section>
  );
}
