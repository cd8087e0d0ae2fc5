import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { addSuggestion, countSuggestions } from '../../../features/knowledge/public.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { ContextInput } from './context-provider.ts';

/** Number of notes that a session may suggest. */
const maxSuggestions = 5;

const Input = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'A specific title.' }),
  trigger: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'When it helps: the task, the place in the code or the error message, in one or two sentences.',
  }),
  body: Type.String({ minLength: 1, maxLength: 20_000, description: 'The note itself, in Markdown.' }),
});

const description = `Suggests a note for the next engineer: something that you had to find out, that the code and its documentation do not say, and that will be needed again. A member of the organization decides whether to keep it.

- Good: how to run one test when the obvious command fails, a service that must be started first, why an odd piece of code is right, the cause behind a misleading error message.
- Bad: what you changed, what the task was, what the code shows, anything secret or about a person.
- At most ${maxSuggestions} per session, and usually none.`;

/** Tool with which an agent suggests a knowledge note. */
export function suggestTool({ attempt }: ContextInput): AgentTool {
  const { ctx, run } = attempt;
  let made: number | undefined;
  // Sequential, so that the limit holds.
  let queue: Promise<unknown> = Promise.resolve();
  return {
    name: 'suggest_knowledge',
    description,
    input: { ...Input },
    // It does not change the work tree, and repeating it has no effect.
    readOnly: true,
    title: (input) => (Value.Check(Input, input) ? `Suggest a note: ${input.name}` : 'Suggest a note'),
    run(input) {
      const done = queue.then(() => suggest(input));
      queue = done;
      return done;
    },
  };

  async function suggest(input: unknown): Promise<AgentToolResult> {
    if (!Value.Check(Input, input))
      return { ok: false, output: 'suggest_knowledge expects a name, a trigger and a body, all strings.' };
    const { name, trigger, body } = attempt.secrets.masked(input);
    const repo = attempt.progress.repositories.length === 1 ? (attempt.progress.repositories[0]?.repo ?? '') : '';
    try {
      made ??= await countSuggestions(ctx, run.orgId, run.id);
      if (made >= maxSuggestions)
        return { ok: false, output: `Limit reached: a session can suggest at most ${maxSuggestions} notes.` };
      const id = await addSuggestion(ctx, run.orgId, { sessionId: run.id, name, trigger, body, repo });
      if (id === undefined) return { ok: true, output: 'This note was suggested before.' };
      made += 1;
      return { ok: true, output: 'Suggested. A member of the organization will review it.' };
    } catch (error) {
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to store a suggestion');
      return { ok: false, output: 'The suggestion could not be stored. Continue without it.' };
    }
  }
}
