import { count } from '../../../lib/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Figures } from '../Figures.tsx';
import { noCases, share } from '../numbers.ts';
import type { FollowOutcomes } from './queries.ts';
import { timeWord } from './topics.ts';

/** The outcomes of the change requests that sessions began to follow in a period. */
export function Followed({ outcomes }: { outcomes: FollowOutcomes }) {
  const { followed, rounds, fixed, merged } = outcomes;
  const { rounds_per_change_request: each, needed_person: needed, merged_without_human_commit: alone } = outcomes;
  return (
    <Section title="What became of followed change requests">
      {followed === 0 ? (
        <p className="text-ink-2">No session began to follow a change request in these days.</p>
      ) : (
        <Figures
          figures={[
            {
              name: 'Merged without help',
              value: share(outcomes.merged_without_human_commit_rate),
              note: `${count(alone)} of ${count(merged)} merged`,
            },
            {
              name: 'Needed a person',
              value: share(outcomes.needed_person_rate),
              note: `${count(needed)} of ${count(followed)} followed`,
            },
            {
              name: 'From red to green',
              value: timeWord(outcomes.red_to_green_seconds_p50),
              note: fixed === 1 ? 'once' : `median of ${count(fixed)} times`,
            },
            {
              name: 'Rounds for each',
              value: each === null ? noCases : String(Math.round(each * 10) / 10),
              note: `${count(rounds)} in all`,
            },
          ]}
        />
      )}
    </Section>
  );
}
