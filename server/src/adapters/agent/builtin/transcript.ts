import type { ModelMessage, ToolResultPart } from 'ai';
import type { AgentAttachment } from '../port.ts';
import { shortenMiddle } from './bounds.ts';
import type { Entry, EntryOf, ToolCall } from './records.ts';

/** The length to which a compaction cuts an old message of the user, in characters. */
const keptMessageLength = 20_000;
/** The length of a shortened tool output, in characters. */
export const shortOutputLength = 1_000;
/** The number of newest images that the model gets with every step. Older ones cost more than they help. */
const shownImages = 3;

/** The conversation for the model, built from the session's records. */
export class Transcript {
  /** Entries that are sent unchanged; the first one is record number `#base`. */
  #entries: Entry[] = [];
  #base = 0;
  #summary: string | undefined;
  #first: EntryOf<'turn'> | undefined;
  /** The newest turn. */
  #request: { entry: EntryOf<'turn'>; number: number } | undefined;
  /** The user's messages in that turn. */
  #said: string[] = [];
  readonly #callIds = new Set<string>();

  /** The number of records. */
  get count(): number {
    return this.#base + this.#entries.length;
  }

  /** The number of the first record that is sent unchanged. */
  get base(): number {
    return this.#base;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The number of the newest turn; 0 before the first. */
  get turn(): number {
    return this.#request?.entry.turn ?? 0;
  }

  get last(): Entry | undefined {
    return this.#entries.findLast(({ type }) => type !== 'shortened' && type !== 'compacted');
  }

  /** The user's messages since that turn started, including the first. */
  get said(): readonly string[] {
    return this.#said;
  }

  /** Returns true if a tool call with this id was seen before. */
  knows(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  add(entry: Entry): void {
    if (entry.type === 'turn') {
      this.#first ??= entry;
      this.#request = { entry, number: this.count };
      this.#said = [entry.text];
    } else if (entry.type === 'user') {
      this.#said.push(entry.text);
    } else if (entry.type === 'assistant') {
      for (const { toolCallId } of callsOf(entry)) this.#callIds.add(toolCallId);
    } else if (entry.type === 'shortened') {
      this.#shorten(entry.before);
    } else if (entry.type === 'compacted') {
      this.#summary = entry.summary;
      this.#entries = this.#entries.slice(Math.max(0, entry.from - this.#base));
      this.#base = entry.from;
    }
    this.#entries.push(entry);
  }

  /** The calls of the last step that have no result yet, in order. */
  pendingCalls(): ToolCall[] {
    const at = this.#entries.findLastIndex(({ type }) => type === 'assistant');
    const step = this.#entries[at];
    if (step?.type !== 'assistant') return [];
    const done = new Set(this.#entries.slice(at + 1).flatMap((entry) => (entry.type === 'tool' ? [entry.callId] : [])));
    return callsOf(step).filter(({ toolCallId }) => !done.has(toolCallId));
  }

  /** The text at the end of the last steps: an answer cut by the output limit, with its continuation. */
  closingText(): string {
    let text = '';
    for (const entry of this.#entries.toReversed()) {
      if (entry.type === 'assistant') {
        if (text !== '' && entry.cut !== 'length') break;
        text = `${textOf(entry)}${text}`;
        if (callsOf(entry).length > 0) break;
      } else if (entry.type !== 'note') break;
    }
    return text.trim();
  }

  /** Returns the messages; with `sees` including images of the last tool results. */
  messages({ sees }: { sees: boolean } = { sees: false }): ModelMessage[] {
    const messages: ModelMessage[] = [];
    const shown = sees ? this.#withNewestImages() : new Set<Entry>();
    const opening = this.opening();
    if (opening !== '') messages.push({ role: 'user', content: opening });
    for (const entry of this.#entries) addMessage(messages, entry, shown.has(entry));
    return messages;
  }

  /** True if there is an image for a model that accepts images. */
  get hasImages(): boolean {
    return this.#withNewestImages().size > 0;
  }

  #withNewestImages(): ReadonlySet<Entry> {
    let left = shownImages;
    const shown = new Set<Entry>();
    for (const entry of this.#entries.toReversed()) {
      if (entry.type !== 'tool' || !entry.ok || entry.images === undefined) continue;
      left -= entry.images.length;
      if (left < 0 && shown.size > 0) break;
      shown.add(entry);
    }
    return shown;
  }

  /** Returns the summary of the records before {@link base}, `''` for none. */
  opening(): string {
    if (this.#summary === undefined) return '';
    const parts = [];
    if (this.#first !== undefined) parts.push(shortenMiddle(userText(this.#first), keptMessageLength));
    parts.push(
      platformText(
        `The conversation became too long for your context window. Your own summary of what happened since the message above:\n\n${this.#summary}`,
      ),
    );
    const request = this.#request;
    if (request !== undefined && request.entry !== this.#first && request.number < this.#base) {
      parts.push(platformText("The user's latest request, word for word:"));
      parts.push(shortenMiddle(userText(request.entry), keptMessageLength));
    }
    return parts.join('\n\n');
  }

  #shorten(before: number): void {
    this.#entries = this.#entries.map((entry, index) =>
      entry.type === 'tool' && this.#base + index < before ? shortOutput(entry) : entry,
    );
  }
}

function shortOutput(entry: EntryOf<'tool'>): EntryOf<'tool'> {
  const { images: _images, ...words } = entry;
  return { ...words, output: shortenMiddle(entry.output, shortOutputLength) };
}

export function callsOf(step: EntryOf<'assistant'>): ToolCall[] {
  return step.content.filter((part) => part.type === 'tool-call');
}

function textOf(step: EntryOf<'assistant'>): string {
  return step.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/** Formats a user's message with its attached files. */
export function userText({ text, attachments = [] }: { text: string; attachments?: AgentAttachment[] }): string {
  if (attachments.length === 0) return text;
  const files = attachments.map(({ path, contentType }) => `- ${path} (${contentType})`);
  return `${text}\n\n${platformText(`Files attached to this message:\n${files.join('\n')}`)}`;
}

/** Marks text of the platform, to tell it from the user's. */
function platformText(text: string): string {
  return `<platform>\n${text}\n</platform>`;
}

function addMessage(messages: ModelMessage[], entry: Entry, showsImages: boolean): void {
  switch (entry.type) {
    case 'turn':
      if (entry.answers === undefined) messages.push({ role: 'user', content: notEmpty(userText(entry)) });
      return;
    case 'user':
      messages.push({ role: 'user', content: notEmpty(userText(entry)) });
      return;
    case 'note':
      messages.push({ role: 'user', content: platformText(entry.text) });
      return;
    case 'assistant':
      if (entry.content.length > 0) messages.push({ role: 'assistant', content: entry.content });
      return;
    case 'tool': {
      const { callId: toolCallId, name: toolName } = entry;
      const part = { type: 'tool-result' as const, toolCallId, toolName, output: resultOf(entry, showsImages) };
      const last = messages.at(-1);
      if (last?.role === 'tool') last.content.push(part);
      else messages.push({ role: 'tool', content: [part] });
      return;
    }
    case 'asked':
    case 'shortened':
    case 'compacted':
      return;
  }
}

/** Converts a tool result to the SDK's shape. */
function resultOf({ ok, output, images = [] }: EntryOf<'tool'>, showsImages: boolean): ToolResultPart['output'] {
  if (!ok) return { type: 'error-text', value: notEmpty(output) };
  if (images.length === 0) return { type: 'text', value: notEmpty(output) };
  if (!showsImages) return { type: 'text', value: `${output}\n[${images.length} not shown: images]`.trim() };
  const files = images.map(({ mediaType, data }) => ({
    type: 'file' as const,
    mediaType,
    data: { type: 'data' as const, data },
  }));
  return { type: 'content', value: [{ type: 'text', text: notEmpty(output) }, ...files] };
}

/** Providers refuse an empty text. */
function notEmpty(text: string): string {
  return text.trim() === '' ? '(empty)' : text;
}
