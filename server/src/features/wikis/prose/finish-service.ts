import { Value } from 'typebox/value';
import { refOf } from '../../repositories/open-change-request.ts';
import { requireRepository } from '../../repositories/service.ts';
import { countWiki } from '../../storage/ledger-service.ts';
import { sizeOf } from '../store.ts';
import { citedPaths, holds, keepProven } from './citations.ts';
import { ProseOutput, type WrittenPage } from './output.ts';
import { readLines } from './read-lines.ts';
import type { ProseContext } from './start-service.ts';
import { endProse, listAsked, listUnwritten, lockWiki, putProse, type ProseRow } from './store.ts';

interface Judged {
  pages: { slug: string; text: string }[];
  /** Slugs of pages that were refused. */
  refused: string[];
  /** Paragraphs and list items that were left out of the others. */
  removed: number;
}

/** Stores the prose that a session wrote, as far as its citations hold. What was there before stays where nothing is stored. */
export async function finishProse(
  ctx: ProseContext,
  orgId: string,
  id: string,
  { session_id: sessionId, session_commit: commit, structured_output: output }: ProseRow,
): Promise<void> {
  const end = (problem: string, judged?: Judged) =>
    ctx.db.transaction(async (trx) => {
      const wiki = await lockWiki(trx, id);
      if (wiki?.session_id !== sessionId) return;
      const now = ctx.clock.now();
      const pages = judged?.pages ?? [];
      for (const { slug, text } of pages) await putProse(trx, id, { slug, text, commit, now });
      // A model that wrote no page that holds would write no others.
      const goesOn = pages.length > 0 && (await listUnwritten(trx, id, 1)).length > 0;
      await endProse(trx, id, problem, goesOn);
      await countWiki(trx, orgId, id, await sizeOf(trx, id));
    });
  if (!Value.Check(ProseOutput, output)) return end('The session that was to write prose submitted none.');
  const repository = await requireRepository(ctx, orgId, id);
  const slugs = await listAsked(ctx.db.kysely, id);
  const asked = new Set(slugs.filter(({ is_asked }) => is_asked).map(({ slug }) => slug));
  const known = new Set(slugs.map(({ slug }) => slug));
  const written = output.pages.filter(({ slug }) => asked.has(slug));
  const paths = [...new Set(written.flatMap(({ text }) => citedPaths(text)))];
  const { withGitDirectory } = ctx.sourceControl.of(repository.provider);
  const files = await withGitDirectory?.(refOf(orgId, repository), commit, (directory) =>
    readLines(directory, commit, paths),
  );
  if (files === undefined) return end('The commit that the prose describes is gone. Generate the wiki again.');
  const judged = judge(written, files, known);
  await end(reportOf(judged), judged);
}

function judge(
  written: readonly WrittenPage[],
  files: ReadonlyMap<string, string[]>,
  slugs: ReadonlySet<string>,
): Judged {
  const judged: Judged = { pages: [], refused: [], removed: 0 };
  for (const { slug, text } of written) {
    const kept = keepProven(text, (citation) => holds(files.get(citation.path), citation), slugs);
    if (kept.text === '' || kept.invalid > kept.valid) {
      judged.refused.push(slug);
      continue;
    }
    judged.pages.push({ slug, text: kept.text });
    judged.removed += kept.removed;
  }
  return judged;
}

function reportOf({ refused, removed }: Judged): string {
  const parts = [
    ...(removed === 0
      ? []
      : [
          `${removed} ${removed === 1 ? 'statement' : 'statements'} of the prose had no link that holds, and ${removed === 1 ? 'was' : 'were'} left out.`,
        ]),
    ...(refused.length === 0 ? [] : [`The prose of ${refused.join(', ')} was refused: its links do not hold.`]),
  ];
  return parts.join(' ');
}
