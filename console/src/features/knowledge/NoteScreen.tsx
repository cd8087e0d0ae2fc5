import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { OnChip } from '../../ui/OnOff.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { NoteEditor } from './NoteEditor.tsx';
import { NoteReader } from './NoteReader.tsx';
import { NoteTry } from './NoteTry.tsx';
import { NoteVersions } from './NoteVersions.tsx';
import { noteQuery, notesPath, type Note } from './queries.ts';

/** A knowledge note: its text, which prompts get it, and its versions. */
export function NoteScreen() {
  const { org, noteId } = useParams({ from: '/$org/knowledge/$noteId' });
  return (
    <Guarded org={org} scope="knowledge:read">
      <ReadNote org={org} noteId={noteId} />
    </Guarded>
  );
}

function ReadNote({ org, noteId }: { org: string; noteId: string }) {
  const query = useQuery(noteQuery(org, noteId));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Note" />;
  return <OneNote org={org} note={query.data} />;
}

function OneNote({ org, note }: { org: string; note: Note }) {
  const { note_id: noteId, name, enabled, revision } = note;
  const { tab = 'note', rev } = useSearch({ from: '/$org/knowledge/$noteId' });
  const navigate = useNavigate({ from: '/$org/knowledge/$noteId' });
  const canWrite = useCan(org, 'memory:write');
  return (
    <Page
      title={name}
      back={
        <Link to="/$org/knowledge" params={{ org }} aria-label="All notes" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <OnChip isOn={enabled} />
          <span className="text-ink-3">version {revision}</span>
          {canWrite && <NoteMenu org={org} note={note} />}
        </>
      }
    >
      <Tabs
        label="Parts of the note"
        value={tab}
        onChange={(id) => void navigate({ search: id === 'note' ? {} : { tab: id }, replace: true })}
        tabs={[
          {
            id: 'note',
            label: 'Note',
            content: () => (
              <div className="grid gap-x-2 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
                <Body>
                  {canWrite ? <NoteEditor org={org} note={note} /> : <NoteReader note={note} />}
                  <Needs org={org} scope="memory:write" what="Changing it" />
                </Body>
                <NoteTry org={org} noteId={noteId} />
              </div>
            ),
          },
          {
            id: 'versions',
            label: 'Versions',
            content: () => (
              <NoteVersions
                org={org}
                note={note}
                shown={rev}
                show={(next) => void navigate({ search: { tab: 'versions', rev: next }, replace: true })}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}

function NoteMenu({ org, note: { note_id: noteId, name, enabled } }: { org: string; note: Note }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const at = { params: { path: { noteId } } };
  const touches = [keys.all(org, 'knowledge')];
  const turn = useAction({
    call: () => unwrap(apiOf(org).PATCH(`${notesPath}/{noteId}`, { ...at, body: { enabled: !enabled } })),
    touches,
  });
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${notesPath}/{noteId}`, at)),
    touches: [keys.lists(org, 'knowledge')],
    says: `“${name}” is deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/knowledge', params: { org } }),
  });
  const confirmRemoval = async () => {
    const text = 'Sessions no longer get it, and its versions are gone. This cannot be undone.';
    if (await ask({ title: `Delete “${name}”?`, text, action: 'Delete the note' })) remove.mutate();
  };
  return (
    <Menu
      label={`More about ${name}`}
      items={[
        { label: enabled ? 'Turn off' : 'Turn on', select: () => turn.mutate() },
        { label: 'Delete …', danger: true, select: () => void confirmRemoval() },
      ]}
    />
  );
}
