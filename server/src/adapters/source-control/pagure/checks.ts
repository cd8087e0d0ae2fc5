import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { isObjectId } from '../../../git/names.ts';
import type { Collaboration, HostCheck } from '../collaboration.ts';
import { maxSaid } from '../cut-body.ts';
import type { PagureClient } from './client.ts';
import { requireProject } from './project.ts';
import { secondsOf } from './said.ts';
import { Done } from './shapes.ts';

const Seconds = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));
const Flag = Type.Object({
  username: Type.String(),
  status: Type.String(),
  comment: Type.String(),
  url: Type.String(),
  date_created: Seconds,
  date_updated: Seconds,
});
const Flags = Type.Object({ flags: Type.Array(Flag) });

const states: Readonly<Record<string, HostCheck['state']>> = {
  success: 'success',
  failure: 'failure',
  error: 'error',
  canceled: 'error',
};
const textBytes = 4_096;

/** Checks are Pagure's flags of commits. */
export function createChecks(client: PagureClient): Required<Pick<Collaboration, 'checks' | 'setStatus'>> {
  const pathOf = (repo: string, headSha: string): string => {
    if (!isObjectId(headSha)) throw new ProviderError('There is no such commit.', { retryable: false });
    return `${requireProject(repo).path}/c/${headSha}`;
  };
  return {
    async checks(repository, headSha) {
      const path = `${pathOf(repository.repo, headSha)}/flag`;
      const { flags } = await client.call(repository, { path }, Flags, { textBytes });
      const newest = new Map(flags.toSorted(byTime).map((flag) => [flag.username, toCheck(flag)]));
      return [...newest.values()].slice(-maxSaid);
    },
    async setStatus(repository, headSha, { name, state, description, url }) {
      const path = pathOf(repository.repo, headSha);
      const { url: host } = await client.open(repository);
      const form = {
        username: name,
        // Pagure has no neutral flag, and requires a text and a link.
        status: state === 'neutral' ? 'success' : state,
        comment: description.trim() === '' ? name : description,
        url: url === '' ? `${host}/${path}` : url,
        // A flag with the same identifier is replaced, also one of a fork that has the commit.
        uid: createHash('sha256').update(`${repository.repo}\n${name}`).digest('hex').slice(0, 32),
      };
      await client.call(repository, { method: 'POST', path: `${path}/flag`, form }, Done);
    },
  };
}

function byTime(one: Static<typeof Flag>, other: Static<typeof Flag>): number {
  return timeOf(one).getTime() - timeOf(other).getTime();
}

function timeOf({ date_updated: updated, date_created: created }: Static<typeof Flag>): Date {
  return secondsOf(updated ?? created);
}

function toCheck(flag: Static<typeof Flag>): HostCheck {
  const state = states[flag.status] ?? 'pending';
  return {
    id: flag.username,
    name: flag.username,
    state,
    description: flag.comment,
    url: ['http:', 'https:'].includes(URL.parse(flag.url)?.protocol ?? '') ? flag.url : '',
    // A project may require one flag, and Pagure does not say which.
    isRequired: undefined,
    endedAt: state === 'pending' ? null : timeOf(flag),
  };
}
