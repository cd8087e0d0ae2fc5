import type { Schemas } from '../../../lib/api.ts';
import { recall, remember } from '../../../lib/storage.ts';

/** What a person has entered for a new session. */
export interface Draft {
  prompt: string;
  /** `owner/name`; '' for an empty workspace. */
  repo: string;
  ref: string;
  agentId: string;
  mode: 'build' | 'plan' | 'ask';
  planFirst: boolean;
  /** US dollars; '' for no limit of its own. */
  maxCost: string;
}

const emptyDraft: Draft = { prompt: '', repo: '', ref: '', agentId: '', mode: 'build', planFirst: false, maxCost: '' };

/** Returns the draft of the last visit with the choices of the last session, and what the address names. */
export function openDraft(org: string, given: Partial<Draft>): Draft {
  return { ...emptyDraft, ...stored(org), ...given };
}

function stored(org: string): Partial<Draft> {
  try {
    return Object(JSON.parse(recall(`new/${org}`) ?? '{}'));
  } catch {
    return {};
  }
}

export function saveDraft(org: string, draft: Draft): void {
  remember(`new/${org}`, JSON.stringify(draft));
}

/** Forgets what belongs to one session alone; the next begins with the same repository, agent and limits. */
export function finishDraft(org: string, draft: Draft): void {
  saveDraft(org, { ...draft, prompt: '' });
}

/** Returns the request that creates the session. */
export function requestOf({
  prompt,
  repo,
  ref,
  agentId,
  mode,
  planFirst,
  maxCost,
}: Draft): Schemas['CreateSessionRequest'] {
  return {
    prompt,
    mode,
    ...(repo === '' ? {} : { repositories: [{ repo, ...(ref === '' ? {} : { ref }) }] }),
    ...(agentId === '' ? {} : { agent_id: agentId }),
    ...(planFirst && mode === 'build' ? { require_plan_approval: true } : {}),
    ...(maxCost === '' ? {} : { budget: { max_cost_usd: Number(maxCost) } }),
  };
}

/** Reads what an address fills in; a link never starts anything. */
export function givenOf(search: Record<string, unknown>): Partial<Pick<Draft, 'prompt' | 'repo' | 'ref'>> {
  const { prompt, repo, ref } = search;
  return {
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(typeof repo === 'string' ? { repo } : {}),
    ...(typeof ref === 'string' ? { ref } : {}),
  };
}
