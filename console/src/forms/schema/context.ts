import { createContext, useContext, type ReactNode } from 'react';
import type { Picker } from './shape.ts';

/** Something that a text can name. */
export interface Option {
  value: string;
  /** Its name for readers, if the value is an id. */
  name?: string;
}

/** What a field gets that finds by itself what it can name. */
export interface ChooserProps {
  named: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };
  value: string;
  onChange: (value: string) => void;
}

export interface SchemaContext {
  /** What is wrong with the value at a path: `providers.0.name`. */
  problems: Readonly<Record<string, string>>;
  /** What a text can name; undefined where the person may not know. */
  options: Readonly<Partial<Record<Picker, readonly Option[]>>>;
  /** Draws the field for an agent, of which there may be more than a menu can hold; undefined where the person may not know. */
  agentField?: ((props: ChooserProps) => ReactNode) | undefined;
}

export const SchemaContext = createContext<SchemaContext>({ problems: {}, options: {} });

export function useProblemAt(path: string): string | undefined {
  return useContext(SchemaContext).problems[path];
}

/** Returns what is wrong inside of a list, for a control that shows all of it: with the number of the item. */
export function useProblemsWithin(path: string): string[] {
  const { problems } = useContext(SchemaContext);
  return Object.entries(problems).flatMap(([at, message]) => {
    if (at === path) return [message];
    if (!at.startsWith(`${path}.`)) return [];
    const item = Number(at.slice(path.length + 1));
    return [Number.isInteger(item) ? `Number ${item + 1} ${message}` : `${at.slice(path.length + 1)} ${message}`];
  });
}

export function useOptions(picker: Picker | undefined): readonly Option[] | undefined {
  const { options } = useContext(SchemaContext);
  return picker === undefined ? undefined : options[picker];
}
