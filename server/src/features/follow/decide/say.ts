import type { Draft, Round, SessionFacts } from './types.ts';

/** Posts a comment once: on the whole change request, or in a thread. */
export function sayOnce({ memory, actions }: Draft, key: string, text: string, threadId = ''): void {
  if (memory.said.includes(key)) return;
  memory.said = [...memory.said, key].slice(-100);
  actions.push({ key: `say:${key}`, type: 'say', text, threadId });
}

/** Tells a person who spoke that the round for it came to nothing, where they asked, or once for several questions. */
export function sayUnanswered(draft: Draft, round: Round, why: string, remedy: string): void {
  const said = unanswered(round, why, remedy);
  if (said !== undefined) sayOnce(draft, said.key, said.text, said.threadId);
}

/** Returns what is said then, once for each round; undefined if no person asked. */
export function unanswered({ key, questions, isPersons = true }: Round, why: string, remedy: string) {
  const [first, ...more] = questions;
  if (first === undefined || !isPersons) return undefined;
  return {
    key: `unanswered:${key}`,
    text: `This was not done: ${why}. ${remedy}`,
    threadId: more.length === 0 ? first.threadId : '',
  };
}

const askAgain = 'Comment again to have it tried once more; the details are in Guildhall.';
const raiseBudget = 'It goes on once somebody raises the budget in Guildhall.';
export const takeOver = 'A person has to go on from here: in Guildhall, or by a commit.';

/** The reasons of failures, by the code of the error, in words for everybody who reads the git host: the error may name what is internal. */
const failures: Readonly<Record<string, string>> = {
  agent_error: 'the agent ended with an error',
  branch_conflict: 'the branch got commits of somebody else meanwhile',
  clone_failed: 'the repository could not be copied',
  guardrail: 'a guardrail forbids the change',
  model_error: 'the model did not answer',
  provisioning_timeout: 'the preparation of its sandbox took too long',
  push_failed: 'the push was refused',
  sandbox_lost: 'its sandbox was lost',
  secret_in_changes: 'the change has a secret in it',
  setup_failed: 'the setup of its sandbox failed',
  timeout: 'it took too long',
  verify_failed: 'the check does not pass with the change',
};

/** Returns why a session did not finish its round, and what whoever asked can do. */
export function endingOf({ state, hasBudget, failure }: SessionFacts): [why: string, remedy: string] {
  if (!hasBudget) return ['the budget of its session is used up', raiseBudget];
  if (state === 'failed') return [failures[failure] ?? 'its session failed', askAgain];
  return [`its session was ${state === 'gone' ? 'deleted' : 'canceled'}`, takeOver];
}
