import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { placeFindings } from '../../server/src/features/reviews/fingerprint.ts';

const usage = `Usage: node bench/src/review-comments.ts <directory>

Runs the stored comments of Martian's offline code review benchmark through the rules by which reviews drop repetitions and limit
comments. <directory> is one of its folders offline/results/<judge> (github.com/withmartian/code-review-benchmark, MIT). The stored
comments have no lines: all of a pull request count as if they were on one line, so that the rules join as much as they ever do.
`;

const Candidates = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Array(Type.Object({ text: Type.String() }))),
);
const Evaluations = Type.Record(
  Type.String(),
  Type.Record(
    Type.String(),
    Type.Object({
      true_positives: Type.Array(Type.Object({ golden_comment: Type.String(), matched_candidate: Type.String() })),
    }),
  ),
);
const cap = 6;
const known = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();

function read<T extends TSchema>(shape: T, path: string): Static<T> {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!Value.Check(shape, value)) throw new Error(`${path} has another form.`);
  return value;
}

/** Returns the comments that remain of these, as if they were on one line. */
function kept(texts: readonly string[]): string[] {
  const findings = texts.map((title) => ({
    file: 'file',
    line: 1,
    severity: 'medium' as const,
    confidence: 1,
    category: title.slice(0, 100) || 'none',
    title,
    body: '',
  }));
  return placeFindings(findings, new Map()).map(({ title }) => title);
}

interface Tally {
  comments: number;
  kept: number;
  posted: number;
  right: number;
  rightKept: number;
  rightPosted: number;
  /** Problems of the benchmark that its comments name, that those left name, and that those posted name. */
  problems: number;
  problemsKept: number;
  problemsPosted: number;
}

const none: Tally = {
  comments: 0,
  kept: 0,
  posted: 0,
  right: 0,
  rightKept: 0,
  rightPosted: 0,
  problems: 0,
  problemsKept: 0,
  problemsPosted: 0,
};

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((part / whole) * 100).toFixed(1)} %`;
}

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  const candidates = read(Candidates, join(directory, 'candidates.json'));
  const evaluations = read(Evaluations, join(directory, 'evaluations.json'));
  report(candidates, evaluations);
}

function report(candidates: Static<typeof Candidates>, evaluations: Static<typeof Evaluations>): void {
  const tallies = new Map<string, Tally>();
  const begunMs = performance.now();
  for (const [url, tools] of Object.entries(candidates)) {
    known.set(url, goldenOf(evaluations[url] ?? {}));
    for (const [tool, comments] of Object.entries(tools)) {
      const texts = comments.map(({ text }) => text);
      const left = kept(texts);
      const isRight = (text: string): boolean => (known.get(url)?.get(text)?.size ?? 0) > 0;
      const problemsIn = (some: readonly string[]): number =>
        new Set(some.flatMap((text) => [...(known.get(url)?.get(text) ?? [])])).size;
      const posted = left.slice(0, cap);
      const tally: Tally = {
        comments: texts.length,
        kept: left.length,
        posted: posted.length,
        right: texts.filter(isRight).length,
        rightKept: left.filter(isRight).length,
        rightPosted: posted.filter(isRight).length,
        problems: problemsIn(texts),
        problemsKept: problemsIn(left),
        problemsPosted: problemsIn(posted),
      };
      tallies.set(tool, sum(tallies.get(tool) ?? none, tally));
    }
  }
  const rows = [...tallies].toSorted(([, one], [, other]) => other.comments - one.comments);
  const total = rows.reduce((all, [, row]) => sum(all, row), none);
  const line = (...cells: readonly unknown[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);
  const heads = ['comments', 'merged', 'over the cap', 'posted', 'right', 'right merged', 'right posted'];
  const more = ['problems', 'problems lost by merging', 'problems posted', 'precision', 'of posted'];
  line('tool', ...heads, ...more);
  line(...Array.from({ length: 1 + heads.length + more.length }, () => '---'));
  for (const [tool, row] of [...rows, ['all', total] as const])
    line(
      tool,
      row.comments,
      row.comments - row.kept,
      row.kept - row.posted,
      row.posted,
      row.right,
      row.right - row.rightKept,
      row.rightPosted,
      row.problems,
      row.problems - row.problemsKept,
      row.problemsPosted,
      percent(row.right, row.comments),
      percent(row.rightPosted, row.posted),
    );
  const took = (performance.now() - begunMs).toFixed(0);
  process.stdout.write(
    `\n${total.comments} comments of ${rows.length} tools on ${Object.keys(candidates).length} pull requests in ${took} ms; at most ${cap} are posted.\n`,
  );
  reportPairs();
}

function sum(one: Tally, other: Tally): Tally {
  return {
    comments: one.comments + other.comments,
    kept: one.kept + other.kept,
    posted: one.posted + other.posted,
    right: one.right + other.right,
    rightKept: one.rightKept + other.rightKept,
    rightPosted: one.rightPosted + other.rightPosted,
    problems: one.problems + other.problems,
    problemsKept: one.problemsKept + other.problemsKept,
    problemsPosted: one.problemsPosted + other.problemsPosted,
  };
}

/** Returns the golden comments that each comment matches, by its text. */
function goldenOf(tools: Static<typeof Evaluations>[string]): Map<string, Set<string>> {
  const golden = new Map<string, Set<string>>();
  for (const { true_positives } of Object.values(tools))
    for (const { matched_candidate: text, golden_comment } of true_positives)
      golden.set(text, (golden.get(text) ?? new Set()).add(golden_comment));
  return golden;
}

/** Compares comments of different tools: those about one golden comment should count as one, others should not. */
function reportPairs(): void {
  const count = { same: 0, sameFound: 0, other: 0, otherFound: 0 };
  for (const golden of known.values()) {
    const texts = [...golden];
    for (const [at, [text, matches]] of texts.entries())
      for (const [other, otherMatches] of texts.slice(at + 1)) {
        const isSame = [...matches].some((one) => otherMatches.has(one));
        const isFound = kept([text, other]).length === 1;
        if (isSame) {
          count.same += 1;
          count.sameFound += Number(isFound);
        } else {
          count.other += 1;
          count.otherFound += Number(isFound);
        }
      }
  }
  const { same, sameFound, other, otherFound } = count;
  process.stdout.write(
    `Of ${same} pairs about one problem, ${sameFound} (${percent(sameFound, same)}) count as one.\n` +
      `Of ${other} pairs about different problems, ${otherFound} (${percent(otherFound, other)}) count as one.\n`,
  );
}
