import type { HostIssue } from '../../adapters/source-control/collaboration.ts';
import type { ProviderChangeRequest } from '../../adapters/source-control/port.ts';

/** Known of an event before a job asks the host. */
export interface Hint {
  action: string;
  before: string;
  after: string;
}

/** The present state of something at a host, and how it came to be. */
export interface Sighting {
  /** The part that is compared with the next one. */
  seen: Record<string, unknown>;
  /** `''` if nothing changed. */
  action: string;
  payload: Record<string, unknown>;
}

type Seen = Readonly<Record<string, unknown>> | undefined;

const zeros = '0'.repeat(40);
const maxTextLength = 20_000;

/** Compares a branch or tag with what was seen last. `head` is undefined if it does not exist. */
export function sightPush(seen: Seen, name: string, head: string | undefined, hint: Hint): Sighting {
  const after = head ?? zeros;
  const before = seen === undefined ? hint.before || zeros : String(seen['head']);
  const payload = {
    ref: name,
    branch: name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : '',
    tag: name.startsWith('refs/tags/') ? name.slice('refs/tags/'.length) : '',
    before,
    after,
    created: /^0+$/.test(before),
    deleted: /^0+$/.test(after),
    pusher: { type: 'provider', id: '' },
  };
  return { seen: { head: after }, action: before === after ? '' : 'pushed', payload };
}

/** Compares a change request with what was seen last. */
export function sightChangeRequest(seen: Seen, found: ProviderChangeRequest, hint: Hint): Sighting {
  const { number, title, state, draft, headRef, headSha, baseRef, url } = found;
  const was = seen === undefined ? hint.action : String(seen['state']);
  const isMoved = seen !== undefined && seen['head'] !== headSha;
  const known = actionOf({ state, was, isNew: seen === undefined, isChanged: isMoved });
  const { action, mark } = withOpening(seen, state, hint, known);
  const shown = { number, title, state, draft, head_ref: headRef, head_sha: headSha, base_ref: baseRef, url };
  const by = { author: { type: 'provider', id: '' }, actor: { type: 'provider', id: '' }, session_id: '' };
  return { seen: { state, head: headSha, ...mark }, action, payload: { ...shown, ...by, action } };
}

/** Compares an issue with what was seen last. */
export function sightIssue(seen: Seen, issue: HostIssue, hint: Hint): Sighting {
  const { number, title, state, author, labels, url } = issue;
  const body = issue.body.slice(0, maxTextLength);
  const was = seen === undefined ? hint.action : String(seen['state']);
  const before: unknown = seen?.['labels'];
  const isLabeled = Array.isArray(before) && labels.some((label) => !before.includes(label));
  const isEdited = seen !== undefined && (seen['title'] !== title || seen['length'] !== issue.body.length);
  const known = actionOf({ state, was, isNew: seen === undefined, isChanged: isEdited });
  const { action, mark } = withOpening(seen, state, hint, known === '' && isLabeled ? 'labeled' : known);
  const payload = { number, title, body, state, labels, url, author: { login: author.login, is_bot: author.isBot } };
  return {
    seen: { state, title, labels, length: issue.body.length, ...mark },
    action,
    payload: { ...payload, action },
  };
}

/**
 * Hosts may announce a change before the opening. What was seen first by a change is marked, until the opening is announced, or
 * what was opened is over.
 */
function withOpening(seen: Seen, state: string, hint: Hint, action: string): { action: string; mark: object } {
  if (seen === undefined) return { action, mark: action === 'updated' ? { unannounced: true } : {} };
  if (seen['unannounced'] !== true || state !== 'open') return { action, mark: {} };
  return hint.action === 'opened' ? { action: 'opened', mark: {} } : { action, mark: { unannounced: true } };
}

/** `was` is the state that was seen last, or for something new the hint of its action. */
function actionOf({
  state,
  was,
  isNew,
  isChanged,
}: {
  state: string;
  was: string;
  isNew: boolean;
  isChanged: boolean;
}) {
  if (isNew) return state !== 'open' ? state : was === 'opened' ? 'opened' : 'updated';
  if (state !== was) return state === 'open' ? 'reopened' : state;
  return isChanged ? 'updated' : '';
}
