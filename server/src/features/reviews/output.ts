import { Type, type Static } from 'typebox';
import { OneOf } from '../../http/schema.ts';

/** From the least to the most severe. `pre_existing`: the change did not bring it. */
export const severities = ['pre_existing', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Limits in characters. */
export const maxTitle = 120;
export const maxBody = 4_000;
const maxFindings = 200;

const closed = { additionalProperties: false };

/** The structured output that a reviewer submits. */
export const ReviewOutput = Type.Object(
  {
    summary: Type.String({
      maxLength: 8_000,
      description: 'What the change does and how good it is, in a few sentences.',
    }),
    findings: Type.Array(
      Type.Object(
        {
          file: Type.String({ minLength: 1, maxLength: 4_096, description: 'Path in the repository.' }),
          line: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Line in the new version of the file.' }),
          ),
          start_line: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
          severity: OneOf(severities),
          confidence: Type.Number({ minimum: 0, maximum: 1 }),
          category: Type.String({ minLength: 1, maxLength: 100 }),
          title: Type.String({ minLength: 1, maxLength: maxTitle }),
          body: Type.String({ maxLength: maxBody }),
          suggestion: Type.Optional(Type.String({ maxLength: 2_000 })),
          evidence: Type.Optional(
            Type.String({ maxLength: maxBody, description: 'A command that shows the problem, and what it printed.' }),
          ),
          reproduction: Type.Optional(
            Type.Object(
              {
                command: Type.String({
                  minLength: 1,
                  maxLength: 2_000,
                  description:
                    'A Bash command for the root of the repository that fails because of the problem. It is run on the head and on the base; it must not fail alike on the base.',
                }),
                expects: Type.Optional(
                  Type.String({
                    maxLength: 300,
                    description: 'A text of its output that shows the problem, on one line.',
                  }),
                ),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
      { maxItems: maxFindings },
    ),
  },
  closed,
);
export type ReviewOutput = Static<typeof ReviewOutput>;
export type ReportedFinding = ReviewOutput['findings'][number];

/** Returns true if `one` is at least as severe as `other`. */
export function isAsSevere(one: Severity, other: Severity): boolean {
  return severities.indexOf(one) >= severities.indexOf(other);
}
