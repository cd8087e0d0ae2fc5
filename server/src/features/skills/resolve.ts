import type { NamedRepository } from '../../lib/providers.ts';
import { reasonOf } from './assignments.ts';
import type { Assignment } from './store.ts';

/** A skill that a session may get. */
export interface Candidate {
  id: string;
  name: string;
  description: string;
  source: 'managed' | 'repository' | 'imported';
  revision: number;
  digest: string;
  enabled: boolean;
  assignments: readonly Assignment[];
}

/** The decision about one skill, with its reason. */
export interface Resolved {
  id: string;
  name: string;
  description: string;
  source: Candidate['source'];
  revision: number;
  digest: string;
  given: boolean;
  /** The prompt matches the skill. */
  relevant: boolean;
  /** The sentences that say why, or why not; the last one is `match`. */
  reason: string;
  /** Explains why the prompt matches it; `''` if it does not. */
  match: string;
}

interface Question {
  repositories: readonly NamedRepository[];
  ids: readonly string[] | null;
  prompt: string;
  /** For each candidate two lists of stems it shares with the prompt: from its name, and from name and description. */
  words: readonly (readonly string[])[];
}

/** The agent is told about each skill: more would crowd out the task. */
const maxGiven = 100;

/** Decides about every skill; a pure function. */
export function resolve(candidates: readonly Candidate[], question: Question): Resolved[] {
  const named = new Set(question.prompt.toLowerCase().match(/[\w-]+/g));
  const decided = candidates.map((candidate, at): Resolved => {
    const { id, name, description, source, revision, digest } = candidate;
    const { given, reason } = decide(candidate, question);
    const match = matchOf(candidate, named, question.words.slice(2 * at, 2 * at + 2));
    const why = match === '' ? reason : `${reason} ${match}`;
    return { id, name, description, source, revision, digest, given, relevant: match !== '', reason: why, match };
  });
  const ordered = decided.toSorted(
    (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
  return withinLimits(ordered);
}

function rank({ given, relevant }: Resolved): number {
  return (given ? 0 : 2) + (relevant ? 0 : 1);
}

function decide(candidate: Candidate, { repositories, ids }: Question): { given: boolean; reason: string } {
  const { enabled, source, assignments } = candidate;
  if (ids !== null && !ids.includes(candidate.id))
    return {
      given: false,
      reason: ids.length === 0 ? 'The session uses no skills.' : 'The session chose other skills.',
    };
  if (!enabled) return { given: false, reason: 'It is disabled.' };
  if (ids !== null) return { given: true, reason: 'The session chose it.' };
  if (source === 'repository') return { given: true, reason: 'It is stored in the repository.' };
  const reason = reasonOf(assignments, repositories);
  if (reason !== undefined) return { given: true, reason };
  const places = assignments.map(({ repo }) => repo).join(', ');
  return { given: false, reason: `It applies to ${places}, and the session has no such repository.` };
}

/** Stems of words that occur in most prompts and descriptions: they indicate nothing alone. */
const common = new Set(
  'add agent also anyth ask call chang check code command creat describ do exampl file find fix follow get give guid handl help instruct kind know like list look make mani name need new one onli order place project provid read repositori requir run see set show skill sourc specif step task thing tool tri type updat use user want way well whenev work write'.split(
    ' ',
  ),
);

/** Explains why the prompt matches the skill; '' if it does not. `named` has the prompt's words, spelled like skill names. */
function matchOf({ name, description }: Candidate, named: ReadonlySet<string>, words: Question['words']): string {
  if (name.includes('-') && named.has(name)) return 'The prompt names it.';
  const [inName = [], inAll = []] = words.map((stems) => stems.filter((stem) => !common.has(stem)));
  if (inName.length === 0 && inAll.length < 2) return '';
  const spelled: readonly string[] = `${name} ${description}`.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  const shared = inAll.slice(0, 8).map((stem) => spelled.find((word) => word.startsWith(stem)) ?? stem);
  return `The prompt shares words with it: ${shared.join(', ')}.`;
}

/**
 * Applies precedence and the limit: a repository's own skill wins over others with its name, and an agent gets at most
 * `maxGiven`.
 */
function withinLimits(decided: readonly Resolved[]): Resolved[] {
  const isOwn = ({ given, source }: Resolved): boolean => given && source === 'repository';
  const own = new Set(decided.filter(isOwn).map(({ name }) => name));
  let count = 0;
  return decided.map((skill) => {
    if (!skill.given) return skill;
    if (!isOwn(skill) && own.has(skill.name))
      return { ...skill, given: false, reason: 'The repository has a skill with this name, which takes precedence.' };
    count += 1;
    if (count <= maxGiven) return skill;
    return {
      ...skill,
      given: false,
      reason: `Limit reached: a session can have at most ${maxGiven} skills, and others rank higher.`,
    };
  });
}
