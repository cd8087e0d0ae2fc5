import type { ReactNode } from 'react';
import { count } from '../lib/format.ts';
import { useTitle } from '../lib/title.ts';
import { useBackToList } from './useBackToList.ts';

export interface PageProps {
  /** The heading, and the name in the tab. */
  title: string;
  /** What the tab says where the heading is not enough: `Fix greet() · Working`. */
  tab?: string;
  /** Its name among the pages that were open; what the tab says by default, which may be a state that passes. */
  recent?: string;
  /** How many things it lists; one above 10,000 is an estimate. */
  total?: number | null | undefined;
  /** The link to the list that this page belongs to. */
  back?: ReactNode;
  /** At the right of the heading; the main one last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The classes of the link back to the list, `‹`. */
export const backLink =
  'grid size-8 place-items-center rounded-control text-title text-ink-3 hover:bg-sunken hover:text-ink pointer-coarse:size-11';

/** A page: its heading, its actions, and its content below. */
export function Page({ title, tab, recent, total, back, actions, children }: PageProps) {
  useTitle(tab ?? title, recent);
  const toList = useBackToList();
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-4 pb-3 sm:px-6">
        <div className="flex max-w-full min-w-0 items-center gap-3 md:flex-1 md:basis-60">
          {back !== undefined && (
            <span data-up onClickCapture={toList} className="-ml-2 pointer-coarse:-ml-3">
              {back}
            </span>
          )}
          <h1 className="line-clamp-2 min-w-0 text-title font-medium break-words" title={title}>
            {title}
          </h1>
          {typeof total === 'number' && (
            <span className="mono whitespace-nowrap text-ink-3">
              {total > 10_000 ? `about ${count(total)}` : count(total)}
            </span>
          )}
        </div>
        <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
      </header>
      {children}
    </>
  );
}

/** The part of a page with a margin at both sides, for forms and text. */
export function Body({ children }: { children: ReactNode }) {
  return <div className="flex max-w-[960px] flex-col gap-6 px-4 py-4 sm:px-6">{children}</div>;
}

/** A named part of a page. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 border-b border-line pb-1">
        <h2 className="flex-1 text-read font-medium">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Facts about a thing: names and values. What is undefined is left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
