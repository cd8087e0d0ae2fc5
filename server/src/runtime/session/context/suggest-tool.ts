import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { addSuggestion, countSuggestions } from '../../../features/knowledge/public.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { ContextInput } from './context-provider.ts';

/** How many notes a session may propose. */
const maxSuggestions = 5;

const Input = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'A title, as specific as the note is.' }),
  trigger: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'When it helps: the task, the place in the code or the error message, in one or two sentences.',
  }),
  body: Type.String({ minLength: 1, maxLength: 20_000, description: 'The note itself, in Markdown.' }),
});

const description = `Proposes a note for the next engineer: something you had to find out that the code and its documentation do not say, and that will be needed again. A person decides whether the organization keeps it.

- Good: how to run one test when the obvious command fails, a service that must be started first, why an odd piece of code is right, the cause behind a misleading error message.
- Not: what you changed, what the task was, what anybody sees in the code, anything secret or about a person.
- At most ${maxSuggestions} in a session, and mostly none.`;

/** The tool by which an agent says what it had to find out. */
export function suggestTool({ attempt }: ContextInput): AgentTool {
  const { ctx, run } = attempt;
  let made: number | undefined;
  // One after the other, so that the limit holds.
  let queue: Promise<unknown> = Promise.resolve();
  return {
    name: 'suggest_knowledge',
    description,
    input: { ...Input },
    // It is no part of the work, and the same again is the same suggestion.
    readOnly: true,
    title: (input) => (Value.Check(Input, input) ? `Suggest a note: ${input.name}` : 'Suggest a note'),
    run(input) {
      const done = queue.then(() => suggest(input));
      queue = done;
      return done;
    },
  };

  async function suggest(input: unknown): Promise<AgentToolResult> {
    if (!Value.Check(Input, input)) return { ok: false, output: 'It takes a name, a trigger and a body, each a text.' };
    const { name, trigger, body } = attempt.secrets.masked(input);
    const repo = attempt.progress.repositories.length === 1 ? (attempt.progress.repositories[0]?.repo ?? '') : '';
    try {
      made ??= await countSuggestions(ctx, run.orgId, run.id);
      if (made >= maxSuggestions)
        return { ok: false, output: `This session has made ${made} suggestions, which is as many as it may.` };
      const id = await addSuggestion(ctx, run.orgId, { sessionId: run.id, name, trigger, body, repo });
      if (id === undefined) return { ok: true, output: 'This was suggested before.' };
      made += 1;
      return { ok: true, output: 'Suggested. A person will look at it.' };
    } catch (error) {
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'a suggestion was lost');
      return { ok: false, output: 'The suggestion could not be kept. Go on without it.' };
    }
  }
}
