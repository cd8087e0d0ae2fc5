import { textsOf } from '../../../lib/list.ts';

export const tabIds = [
  'log',
  'evidence',
  'changes',
  'terminal',
  'plan',
  'artifacts',
  'context',
  'cost',
  'raw',
] as const;
/** A part of the session's page; `log` only where there is no room for two. */
export type TabId = (typeof tabIds)[number];

/** What the address of a session says besides its id; `#e12` names an event. */
export interface SessionSearch {
  tab?: TabId;
  /** In Changes: a file. */
  file?: string;
  /** In Changes: the checkpoint that they are compared with; without one, the start. */
  since?: string;
  /** Lines of that file, or of the output in Terminal, such as `10-14`. */
  l?: string;
  /** In Terminal: a command, or `call:` and a call. */
  cmd?: string;
  /** In Raw: kinds of events. */
  kind?: string;
  /** A text to find in the log. */
  find?: string;
}

export function sessionSearchOf(search: Record<string, unknown>): SessionSearch {
  const { tab, ...texts } = textsOf(search, ['tab', 'file', 'since', 'l', 'cmd', 'kind', 'find']);
  const known = tabIds.find((id) => id === tab);
  return { ...texts, ...(known === undefined ? {} : { tab: known }) };
}
