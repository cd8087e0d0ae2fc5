import { recall, remember } from '../../../lib/storage.ts';
import { readDraft, type Draft } from './draft.ts';

type Name =
  | 'agentId'
  | 'model'
  | 'mode'
  | 'planFirst'
  | 'maxCost'
  | 'maxTokens'
  | 'maxMinutes'
  | 'maxTurns'
  | 'verify'
  | 'deliver'
  | 'memory'
  | 'tags';

/** The choices that are remembered for each repository. */
export type Defaults = Pick<Draft, Name> & { ref: string };

const most = 50;

/** Returns what the last session on a repository was started with; undefined if there was none. */
export function defaultsOf(org: string, repo: string): Defaults | undefined {
  const found = all(org).find((one) => one.repo === repo);
  return found === undefined ? undefined : { ...pick(readDraft(found.choices)), ref: found.ref };
}

/** Remembers what a session was started with, for its first repository. */
export function rememberDefaults(org: string, draft: Draft): void {
  const [first] = draft.repositories;
  if (first === undefined || first.repo === '') return;
  const others = all(org).filter(({ repo }) => repo !== first.repo);
  const entry: Entry = { repo: first.repo, ref: first.ref, choices: pick(draft) };
  remember(`defaults/${org}`, JSON.stringify([entry, ...others].slice(0, most)));
}

interface Entry {
  repo: string;
  ref: string;
  choices: unknown;
}

function all(org: string): Entry[] {
  try {
    const stored: unknown = JSON.parse(recall(`defaults/${org}`) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(read) : [];
  } catch {
    return [];
  }
}

function read(value: unknown): Entry[] {
  const { repo, ref, choices }: Partial<Entry> = Object(value);
  return typeof repo === 'string' ? [{ repo, ref: typeof ref === 'string' ? ref : '', choices }] : [];
}

function pick(draft: Draft): Omit<Defaults, 'ref'> {
  const { agentId, model, mode, planFirst, maxCost, maxTokens, maxMinutes, maxTurns } = draft;
  const { verify, deliver, memory, tags } = draft;
  return {
    agentId,
    model,
    mode,
    planFirst,
    maxCost,
    maxTokens,
    maxMinutes,
    maxTurns,
    verify,
    deliver,
    memory,
    tags,
  };
}
