import { knowledgeForSession, notesAt, type SessionNote } from '../../../features/knowledge/public.ts';
import type { GivenNote } from '../../../features/knowledge/given.ts';
import { settingsOf } from '../../../features/settings/service.ts';
import { HomeFiles } from './home-files.ts';
import type { ContextInput, ContextPart } from './context-provider.ts';
import { suggestTool } from './suggest-tool.ts';
import { slugOf } from '../../../lib/slug.ts';
import { chosenIds } from './chosen.ts';

/** What of a note's body stands in the agent's instructions, and what of all notes together, in characters. */
const maxBodyLength = 4_000;
const maxAllLength = 24_000;

/** Gives the session the organization's knowledge that goes with its prompt and its repositories. */
export async function provideKnowledge(
  input: ContextInput,
  before: readonly GivenNote[] | undefined,
  start: 'cold' | 'again',
): Promise<ContextPart<GivenNote>> {
  const { ctx, run } = input.attempt;
  const settings = await settingsOf(ctx.db.kysely, run.orgId, 'knowledge');
  const notes =
    start === 'cold' ? await found(input, settings.max_notes_per_session) : await foundBefore(input, before ?? []);
  const given = notes.map(({ note_id, name, revision, scope, score, reason }) => ({
    note_id,
    name,
    revision,
    scope,
    score,
    reason,
  }));
  const section = await write(input, notes);
  return { given, section, tools: settings.auto_suggest ? [suggestTool(input)] : [] };
}

function found({ attempt, prompt }: ContextInput, limit: number): Promise<SessionNote[]> {
  const { ctx, run, session, progress } = attempt;
  return knowledgeForSession(ctx, {
    orgId: run.orgId,
    sessionId: run.id,
    account: { type: session.created_by_type, id: session.created_by_id },
    prompt,
    repositories: progress.repositories,
    ids: chosenIds(session.options, 'knowledge_ids'),
    limit,
  });
}

/** The same texts as before, but of notes that were deleted meanwhile. */
async function foundBefore(
  { attempt: { ctx, run } }: ContextInput,
  before: readonly GivenNote[],
): Promise<SessionNote[]> {
  const notes = new Map((await notesAt(ctx, run.orgId, before)).map((note) => [note.note_id, note]));
  return before.flatMap(({ note_id, score, reason }) => {
    const note = notes.get(note_id);
    return note === undefined ? [] : [{ ...note, score, reason }];
  });
}

/** Puts the notes where the agent finds them; answers what its instructions say of them. */
async function write({ attempt, sessionSandbox }: ContextInput, notes: readonly SessionNote[]): Promise<string> {
  if (notes.length === 0) return '';
  const { mask } = attempt.secrets;
  let left = maxAllLength;
  const placed = notes.map((note) => {
    const text = { name: mask.text(note.name), trigger: mask.text(note.trigger), body: mask.text(note.body.trim()) };
    const shownLength = Math.min(text.body.length, maxBodyLength, left);
    left -= shownLength;
    return { ...text, slug: fileNameOf(note), shownLength };
  });
  const files = new HomeFiles(attempt, sessionSandbox);
  const wanted = placed.flatMap((note) => filesOf(note, attempt.driver.capabilities.readsSkillDirectories));
  if (wanted.length > 0) {
    await files.prepare(wanted.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)));
    await files.write(wanted);
  }
  const problem = files.problem('of knowledge');
  if (problem !== '') attempt.events.warn('knowledge_incomplete', problem);
  const title =
    '# What your organization knows\n\nNotes that people of your organization wrote for work like this, what fits best first.';
  return [title, ...placed.map((note) => sectionOf(note, files.has(pathOf(note))))].join('\n\n');
}

interface PlacedNote {
  name: string;
  trigger: string;
  body: string;
  slug: string;
  /** How much of the body is shown. */
  shownLength: number;
}

function pathOf({ slug }: PlacedNote): string {
  return `.guildhall/knowledge/${slug}.md`;
}

/** A note that is too long to be shown whole, and any for an agent that has its own way to what goes with a task. */
function filesOf(note: PlacedNote, asSkill: boolean) {
  const { name, trigger, body, slug, shownLength } = note;
  const whole = { path: pathOf(note), content: `# ${name}\n\nApplies when: ${trigger}\n\n${body}\n`, mode: 0o444 };
  const skill = { path: `.agents/skills/knowledge-${slug}/SKILL.md`, content: skillOf(note), mode: 0o444 };
  return [...(shownLength < body.length ? [whole] : []), ...(asSkill ? [skill] : [])];
}

function sectionOf(note: PlacedNote, isInFile: boolean): string {
  const { name, trigger, body, shownLength } = note;
  const shown = body
    .slice(0, shownLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  const rest = shownLength === body.length ? '' : `\n[… ${isInFile ? `all of it is in ~/${pathOf(note)}` : 'cut'}]`;
  return `## ${oneLine(name)}\n\nApplies when: ${oneLine(trigger)}\n\n<note>\n${inside(shown)}${rest}\n</note>`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** What a note says ends where the note ends, whatever it says. */
function inside(text: string): string {
  return text.replaceAll(/<(?=\s{0,99}\/?\s{0,99}note\b)/gi, '&lt;');
}

/** The beginning of a note's name as a file may be called, and the end of its id, which keeps two of a name apart. */
function fileNameOf({ name, note_id }: SessionNote): string {
  const words = slugOf(name, 40);
  return [words, note_id.slice(-6)].filter((part) => part !== '').join('-');
}

const maxDescriptionLength = 1_024;

/** A note in the format of skills: what it is for, and when, are one thing. */
function skillOf({ slug, trigger, body }: PlacedNote): string {
  const description = Array.from(trigger).slice(0, maxDescriptionLength).join('');
  return `---\nname: knowledge-${slug}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`;
}
