import { knowledgeForSession, notesAt, type SessionNote } from '../../../features/knowledge/public.ts';
import type { GivenNote } from '../../../features/knowledge/given.ts';
import { HomeFiles } from './home-files.ts';
import type { ContextInput, ContextPart } from './context-provider.ts';
import { suggestTool } from './suggest-tool.ts';
import { slugOf } from '../../../lib/slug.ts';
import { chosenIds } from './chosen.ts';

/** Limits for one note and for all notes in the agent's instructions, in characters. */
const maxBodyLength = 4_000;
const maxAllLength = 24_000;

/** Provides the organization's knowledge notes that match the session's prompt and repositories. */
export async function provideKnowledge(
  input: ContextInput,
  before: readonly GivenNote[] | undefined,
  start: 'cold' | 'again',
): Promise<ContextPart<GivenNote>> {
  const { max_notes_per_session: limit, auto_suggest: suggests } = input.attempt.settings.knowledge;
  const notes = start === 'cold' ? await selectNotes(input, limit) : await sameNotes(input, before ?? []);
  const given = notes.map(({ note_id, name, revision, scope, score, reason }) => ({
    note_id,
    name,
    revision,
    scope,
    score,
    reason,
  }));
  const section = await writeNotes(input, notes);
  return { given, section, tools: suggests ? [suggestTool(input)] : [] };
}

function selectNotes({ attempt, prompt }: ContextInput, limit: number): Promise<SessionNote[]> {
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

/** Returns the same revisions as before, except for deleted notes. */
async function sameNotes(
  { attempt: { ctx, run } }: ContextInput,
  before: readonly GivenNote[],
): Promise<SessionNote[]> {
  const notes = new Map((await notesAt(ctx, run.orgId, before)).map((note) => [note.note_id, note]));
  return before.flatMap(({ note_id, score, reason }) => {
    const note = notes.get(note_id);
    return note === undefined ? [] : [{ ...note, score, reason }];
  });
}

/** Writes the notes to files where needed, and returns the section for the agent's instructions. */
async function writeNotes({ attempt, sessionSandbox }: ContextInput, notes: readonly SessionNote[]): Promise<string> {
  if (notes.length === 0) return '';
  const { mask } = attempt.secrets;
  let left = maxAllLength;
  const placed = notes.map((note) => {
    const text = { name: mask.text(note.name), trigger: mask.text(note.trigger), body: mask.text(note.body.trim()) };
    const shownLength = Math.min(text.body.length, maxBodyLength, left);
    left -= shownLength;
    return { ...text, slug: fileName(note), shownLength };
  });
  const files = new HomeFiles(attempt, sessionSandbox);
  const wanted = placed.flatMap((note) => noteFiles(note, attempt.driver.capabilities.readsSkillDirectories));
  if (wanted.length > 0) {
    await files.prepare(wanted.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)));
    await files.write(wanted);
  }
  const problem = files.problem('of knowledge');
  if (problem !== '') attempt.events.warn('knowledge_incomplete', problem);
  const title =
    "# Your organization's knowledge\n\nNotes that members of your organization wrote for work like this, best match first.";
  return [title, ...placed.map((note) => noteSection(note, files.has(notePath(note))))].join('\n\n');
}

interface PlacedNote {
  name: string;
  trigger: string;
  body: string;
  slug: string;
  /** Number of characters of the body that are shown. */
  shownLength: number;
}

function notePath({ slug }: PlacedNote): string {
  return `.guildhall/knowledge/${slug}.md`;
}

/** Files for a note: one with the full text if it is cut in the instructions, and a skill for an agent that reads skills. */
function noteFiles(note: PlacedNote, asSkill: boolean) {
  const { name, trigger, body, slug, shownLength } = note;
  const whole = { path: notePath(note), content: `# ${name}\n\nApplies when: ${trigger}\n\n${body}\n`, mode: 0o444 };
  const skill = { path: `.agents/skills/knowledge-${slug}/SKILL.md`, content: formatSkill(note), mode: 0o444 };
  return [...(shownLength < body.length ? [whole] : []), ...(asSkill ? [skill] : [])];
}

function noteSection(note: PlacedNote, isInFile: boolean): string {
  const { name, trigger, body, shownLength } = note;
  const shown = body
    .slice(0, shownLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  const rest =
    shownLength === body.length ? '' : `\n[… ${isInFile ? `the full note is in ~/${notePath(note)}` : 'cut'}]`;
  return `## ${oneLine(name)}\n\nApplies when: ${oneLine(trigger)}\n\n<note>\n${escapeNoteTags(shown)}${rest}\n</note>`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Escapes `<note>` tags, so that a note's text cannot close its own tag. */
function escapeNoteTags(text: string): string {
  return text.replaceAll(/<(?=\s{0,99}\/?\s{0,99}note\b)/gi, '&lt;');
}

/** Makes a file name from the note's name and the end of its id, which makes it unique. */
function fileName({ name, note_id }: SessionNote): string {
  const words = slugOf(name, 40);
  return [words, note_id.slice(-6)].filter((part) => part !== '').join('-');
}

const maxDescriptionLength = 1_024;

/** Formats a note as a skill, whose description is the trigger. */
function formatSkill({ slug, trigger, body }: PlacedNote): string {
  const description = Array.from(trigger).slice(0, maxDescriptionLength).join('');
  return `---\nname: knowledge-${slug}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`;
}
