import { recall, remember } from '../../../lib/storage.ts';
import { readFiles, type AttachedFile } from '../attachments/files.ts';

export interface DraftRepository {
  /** `owner/name`; '' for none. */
  repo: string;
  /** Branch, tag or commit; '' for the default branch. */
  ref: string;
}

/** What a session is given of a kind; null is all that apply. */
export type Given = string[] | null;

/** What a person has entered for a new session; numbers as they were typed. */
export interface Draft {
  prompt: string;
  repositories: DraftRepository[];
  agentId: string;
  model: string;
  mode: 'build' | 'plan' | 'ask';
  planFirst: boolean;
  /** US dollars, tokens, minutes and turns; '' for no limit of its own. */
  maxCost: string;
  maxTokens: string;
  maxMinutes: string;
  maxTurns: string;
  /** The check command; '' for the one that is declared or detected. */
  verify: string;
  /** '' for what the organization says. */
  deliver: '' | 'change_request' | 'draft' | 'branch' | 'none';
  memory: '' | 'on' | 'off';
  title: string;
  /** By commas. */
  tags: string;
  notes: Given;
  skills: Given;
  servers: Given;
  secrets: Given;
  files: AttachedFile[];
  /** A JSON Schema for the data that the session submits; '' for none. */
  outputSchema: string;
  /** True if the session fails without such data. */
  outputRequired: boolean;
}

export const emptyDraft: Draft = {
  prompt: '',
  repositories: [{ repo: '', ref: '' }],
  agentId: '',
  model: '',
  mode: 'build',
  planFirst: false,
  maxCost: '',
  maxTokens: '',
  maxMinutes: '',
  maxTurns: '',
  verify: '',
  deliver: '',
  memory: '',
  title: '',
  tags: '',
  notes: null,
  skills: null,
  servers: null,
  secrets: null,
  files: [],
  outputSchema: '',
  outputRequired: false,
};

/** Reads a stored draft; what is missing or has another shape is as in an empty one. */
export function readDraft(value: unknown): Draft {
  const values: Partial<Record<keyof Draft, unknown>> = Object(value);
  const draft: Draft = { ...emptyDraft };
  for (const name of ['prompt', 'agentId', 'model', 'verify', 'title', 'tags', 'outputSchema'] as const)
    draft[name] = text(values[name]);
  for (const name of ['maxCost', 'maxTokens', 'maxMinutes', 'maxTurns'] as const) draft[name] = text(values[name]);
  for (const name of ['notes', 'skills', 'servers', 'secrets'] as const) draft[name] = givenOf(values[name]);
  draft.mode = oneOf(['build', 'plan', 'ask'] as const, values.mode) ?? 'build';
  draft.deliver = oneOf(['change_request', 'draft', 'branch', 'none'] as const, values.deliver) ?? '';
  draft.memory = oneOf(['on', 'off'] as const, values.memory) ?? '';
  draft.planFirst = values.planFirst === true;
  draft.outputRequired = values.outputRequired === true;
  draft.files = readFiles(values.files);
  const repositories = list(values.repositories).flatMap(readRepository).slice(0, mostRepositories);
  if (repositories.length > 0) draft.repositories = repositories;
  return draft;
}

/** A session works on at most so many. */
export const mostRepositories = 10;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value);
}

function givenOf(value: unknown): Given {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : null;
}

function readRepository(value: unknown): DraftRepository[] {
  const { repo, ref }: Partial<DraftRepository> = Object(value);
  return typeof repo === 'string' ? [{ repo, ref: text(ref) }] : [];
}

/** What an address fills in; a link never starts anything. */
export interface GivenByAddress {
  prompt?: string;
  repo?: string;
  ref?: string;
  agent?: string;
}

/** Returns the draft of the last visit with the choices of the last session, and what the address names. */
export function openDraft(org: string, { prompt, repo, ref, agent }: GivenByAddress): Draft {
  const draft = stored(org);
  return {
    ...draft,
    ...(prompt === undefined ? {} : { prompt }),
    ...(repo === undefined ? {} : { repositories: [{ repo, ref: ref ?? '' }] }),
    ...(agent === undefined ? {} : { agentId: agent }),
  };
}

function stored(org: string): Draft {
  try {
    return readDraft(JSON.parse(recall(`draft/${org}`) ?? '{}'));
  } catch {
    return emptyDraft;
  }
}

export function saveDraft(org: string, draft: Draft): void {
  remember(`draft/${org}`, JSON.stringify(draft));
}

/** Forgets what belongs to one session alone; the next begins with the same repository, agent and limits. */
export function finishDraft(org: string, draft: Draft): void {
  saveDraft(org, { ...draft, prompt: '', title: '', files: [], outputSchema: '', outputRequired: false });
}
