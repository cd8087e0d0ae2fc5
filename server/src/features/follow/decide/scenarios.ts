import { checks } from './check-scenarios.ts';
import { complaints } from './complaint-scenarios.ts';
import { ends } from './end-scenarios.ts';
import { people } from './people-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { done } from './simulation.ts';

const parts = [
  ['Complaints about other products', complaints],
  ['Checks', checks],
  ['People', people],
  ['Limits and ends', ends],
] as const;

/** Courses of events and their results. */
export const scenarios: readonly Scenario[] = parts.flatMap(([, list]) => list);

/** Returns the page about the scenarios, with what happens in each, in Markdown. */
export function scenariosPage(): string {
  return `${[
    '# Scenarios of following',
    `What the [rules](follow.md#what-happens) do in ${scenarios.length} courses of events, in order, and the state after them. Derived from the tests in\n\`server/src/features/follow/decide\`: \`npm test -- server/src/features/follow/decide/decide.test.ts\` runs them, and fails if this page is\noutdated; with \`-u\` it writes the page again. Random courses of events are tested there too (\`limits.test.ts\`):\nnone exceeds a limit, or does anything twice.`,
    [
      '| what is done | |',
      '|---|---|',
      '| round | a message to the session: about failing checks (`ci`), a `review`, a `comment` or a `conflict` |',
      '| answer | what the session says of a round, as a reply to each that asked |',
      '| say | a comment of Guildhall itself, once |',
      '| rerun | failed checks run again |',
      '| auto_merge, auto_merge_off | the git host may merge by itself, or not any more |',
      '| merge, finish | the built-in host merges; following ends |',
    ].join('\n'),
    ...parts.map(([title, list]) =>
      [
        `## ${title}`,
        ['| scenario | what is done | state | reason |', '|---|---|---|---|', ...list.map(row)].join('\n'),
      ].join('\n\n'),
    ),
  ].join('\n\n')}\n`;
}

function row({ name, run }: Scenario): string {
  const world = run();
  const actions = done(world).map((action) => action.replace('round ', 'round: '));
  const { state, reason } = world.row;
  return `| ${name} | ${actions.join(', ') || 'nothing'} | \`${state}\` | ${reason.replaceAll('|', String.raw`\|`)} |`;
}
