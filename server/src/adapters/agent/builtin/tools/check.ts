import { Type } from 'typebox';
import { problemsOfCheck } from '../../../../lib/agent-config.ts';
import { truncate, oneLine } from '../bounds.ts';
import { interruptible, withFiles } from './files.ts';
import { defineTool, failed } from './tool.ts';

/** Declares the check that proves the change. */
export const checkTool = defineTool({
  name: 'set_check',
  kind: 'tell',
  description: `Declares the check that proves your change: a command that fails before it and passes after it. The platform runs it once on the commit you started from and once on your result, each in a clean sandbox, and shows both runs to the reviewer.

- Declare it as soon as you have reproduced the problem, and again when it changes; the last one counts.
- command runs in the workspace with bash, e.g. "npm test -- test/greet.test.js". Its exit code must not be 0 before the change, and must be 0 after it. It must need no network and no state that you created by hand. A command that cannot run there (a missing program or test runner, no tests) proves nothing.
- files are new test files that the command needs. They are written into the workspace, and copied onto the commit you started from for the first run. Give only tests and their data, never the change itself.
- Choose the smallest command that shows the difference. Declare no check if no command can show it.`,
  input: Type.Object({
    command: Type.String({ minLength: 1, maxLength: 10_000 }),
    files: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Relative to the workspace.' }),
          content: Type.String({ description: 'The complete content.' }),
        }),
      ),
    ),
  }),
  readOnly: ({ files = [] }) => files.length === 0,
  title: ({ command }) => `Check: ${truncate(oneLine(command), 100)}`,
  run: ({ command, files = [] }, context) =>
    withFiles(context, async () => {
      const check = { command, files: files.map(({ path, content }) => ({ path, content })) };
      const problems = problemsOfCheck(check).map(({ path, message }) => `${path} ${message}`);
      if (problems.length > 0) return failed(`The check is not valid: ${problems.join('; ')}.`);
      const { sandbox, signal, permit } = context;
      const refusal = await permit(command);
      if (refusal !== undefined) return failed(refusal);
      for (const { path, content } of check.files) {
        await interruptible(signal, sandbox.writeFile(`${sandbox.workspace}/${path}`, content));
      }
      return {
        ok: true,
        output: 'The platform will run this check before and after your change.',
        events: [{ kind: 'check', ...check }],
        changes: check.files.length > 0,
        files: check.files.map(({ path }) => path),
      };
    }),
});
