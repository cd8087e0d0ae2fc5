import { Type } from 'typebox';
import { beginningOf, oneLine } from '../bounds.ts';
import { defineTool, failed } from './tool.ts';

/** Asks the person. The turn ends with the question, so the loop carries it out; only what is no question gets here. */
export const askTool = defineTool({
  name: 'ask',
  kind: 'ask',
  description: `Asks your person a question and waits for the answer, which may take hours. Your turn ends with it.

- Only for what you cannot find out yourself and what changes the result: a contradiction in the task, a choice that is theirs, something only they have.
- Ask one clear question, with the choices you see and the one you would take.
- Never ask for passwords or keys, and never whether you may go on.`,
  input: Type.Object({ question: Type.String({ minLength: 1, maxLength: 10_000 }) }),
  title: ({ question }) => `Ask: ${beginningOf(oneLine(question), 100)}`,
  run: async () => failed('Only one question can be asked at a time.'),
});
