import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useActionGroups } from '../../lib/actions.ts';
import { failureOf } from '../../lib/errors.ts';
import { recents } from '../../lib/recents.ts';
import { useSettled } from '../../lib/useSettled.ts';
import { Binding } from './Binding.tsx';
import { searchQuery } from './palette.ts';
import { fits, placeOf, typeTitles, type Found } from './places.ts';

/** Finds what the organization has, goes to its pages, and does what the current page can do. */
export function Palette({ org, close }: { org: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const words = text.trim();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector('input')?.focus();
  }, []);
  const choose = (act: () => void) => {
    dialog.current?.close();
    act();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Search and do"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
      className="mx-auto mt-[12dvh] w-[40rem] max-w-[calc(100vw-16px)] overflow-hidden rounded-panel border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-black/40"
    >
      <Command label="Search and do" shouldFilter={false} loop className="flex max-h-[70dvh] flex-col">
        <Command.Input
          value={text}
          onValueChange={setText}
          maxLength={200}
          placeholder="Search sessions, change requests, notes, or type what to do"
          className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-read outline-none placeholder:text-ink-3"
        />
        <Command.List className="min-h-0 overflow-y-auto overscroll-contain p-2">
          <Recents org={org} words={words} choose={choose} />
          <Actions words={words} choose={choose} />
          {words !== '' && <Results org={org} words={words} choose={choose} />}
        </Command.List>
        {words !== '' && <Progress org={org} words={words} />}
      </Command>
    </dialog>
  );
}

interface PartProps {
  choose: (act: () => void) => void;
}

function Recents({ org, words, choose }: PartProps & { org: string; words: string }) {
  const navigate = useNavigate();
  const [all] = useState(() => recents(org));
  const pages = all.filter(({ title }) => fits(title, words));
  if (pages.length === 0) return null;
  return (
    <Group title="Recent">
      {pages.map(({ path, title }) => (
        <Item key={path} value={`recent ${path}`} onSelect={() => choose(() => void navigate({ to: path }))}>
          <span className="min-w-0 flex-1 truncate">{title}</span>
        </Item>
      ))}
    </Group>
  );
}

function Actions({ words, choose }: PartProps & { words: string }) {
  const groups = useActionGroups();
  return groups.map(({ title, actions }, at) => {
    const shown = actions.filter(({ label, keyOnly }) => keyOnly !== true && fits(label, words));
    return (
      shown.length > 0 && (
        <Group key={`${title}${at}`} title={title}>
          {shown.map(({ label, key, act }) => (
            <Item key={label} value={`do ${title} ${label}`} onSelect={() => choose(act)}>
              <span className="min-w-0 flex-1 truncate">{label}</span>
              {key !== undefined && <Binding of={key} />}
            </Item>
          ))}
        </Group>
      )
    );
  });
}

function Results({ org, words, choose }: PartProps & { org: string; words: string }) {
  const { data = [] } = useQuery(searchQuery(org, useSettled(words, 150)));
  const navigate = useNavigate();
  // What was open lately stands above already.
  const above = new Set(recents(org).flatMap(({ path, title }) => (fits(title, words) ? [path] : [])));
  const found = data.filter((one) => !above.has(placeOf(org, one)));
  const types = [...new Set(found.map(({ type }) => type))];
  return types.map((type) => (
    <Group key={type} title={typeTitles[type]}>
      {found
        .filter((one) => one.type === type)
        .map((one) => (
          <Item key={one.id} value={one.id} onSelect={() => choose(() => void navigate({ to: placeOf(org, one) }))}>
            <Result of={one} />
          </Item>
        ))}
    </Group>
  ));
}

/** How the search stands; below the list, which holds only what can be chosen. */
function Progress({ org, words }: { org: string; words: string }) {
  const settled = useSettled(words, 150);
  const { data = [], error, isFetching } = useQuery(searchQuery(org, settled));
  const isCurrent = settled === words && !isFetching;
  return (
    <p role="status" className="px-4 pb-2 text-meta text-ink-3 empty:hidden">
      {error !== null && failureOf(error).message}
      {error === null &&
        isCurrent &&
        data.length === 0 &&
        'No session, change request, repository, note, automation or member has these words.'}
      {error === null && !isCurrent && 'Searching …'}
    </p>
  );
}

function Result({ of: { title, detail, state, number } }: { of: Found }) {
  return (
    <>
      {number !== null && <span className="mono text-ink-3">#{number}</span>}
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {detail !== '' && <span className="max-w-1/3 truncate text-meta text-ink-3">{detail}</span>}
      {state !== '' && <span className="text-meta text-ink-3">{state}</span>}
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={title}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-2 data-[selected=true]:bg-accent-soft pointer-coarse:min-h-11"
    >
      {children}
    </Command.Item>
  );
}
