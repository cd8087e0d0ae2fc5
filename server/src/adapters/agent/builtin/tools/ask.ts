import { Type } from 'typebox';
import { truncate, oneLine } from '../bounds.ts';
import { defineTool, failed } from './tool.ts';

/** Asks the user. The question ends the turn, so the loop handles it; `run` gets only calls that it could not handle. */
export const askTool = defineTool({
  name: 'ask',
  kind: 'ask',
  description: `Asks the user a question and ends your turn. The answer may take hours.

- Ask only what you cannot find out yourself and what changes the result: a contradiction in the task, a choice that is the user's, information that only the user has.
- Ask one clear question, with the options you see and the one you recommend.
- Never ask for passwords or keys, and never for permission to continue.`,
  input: Type.Object({ question: Type.String({ minLength: 1, maxLength: 10_000 }) }),
  title: ({ question }) => `Ask: ${truncate(oneLine(question), 100)}`,
  run: async () => failed('Only one question can be asked at a time.'),
});
