import { agentDriver, type Runtime } from '../../adapters/agent/drivers.ts';
import { indexOf, isNoteName, livingNotes, maxIndexLines, notesDirectory, type Memory } from './projection.ts';
import { trimOf } from '../../lib/trim.ts';
import { outside } from '../../lib/outside.ts';

// Third-party agents, and the places of their memory according to their documentation. All paths are below the home
// directory.

const presets = ['claude-code', 'codex', 'opencode', 'gemini', 'qwen'] as const;
export type Preset = (typeof presets)[number];

/** Returns the agents whose memory an agent may read: those that it may start. */
export function presetsOf(runtime: Runtime, config: unknown): readonly Preset[] {
  const started = agentDriver(runtime).startedAgents(config);
  return started === 'any' ? presets : presets.filter((preset) => started.includes(preset));
}

/** A file shared with the agent: built from its current content, `''` if it does not exist. */
interface SharedFile {
  readonly path: string;
  content(before: string): string;
}

/** The files of a preset beside the notes' own files. */
export interface PresetLayout {
  /** Note files that also appear in another directory. */
  readonly linked?: { readonly directory: string; readonly names: readonly string[] };
  readonly shared: readonly SharedFile[];
}

const claudeDirectory = '.claude/guildhall-memory';
const codexDirectory = '.codex/memories';
/** Codex reads notes from this directory and never writes them. */
const codexNotes = `${codexDirectory}/extensions/ad_hoc/notes`;

const blockFiles = {
  opencode: '.config/opencode/AGENTS.md',
  gemini: '.gemini/GEMINI.md',
  qwen: '.qwen/QWEN.md',
} as const;

const begin = '<!-- guildhall memory: begin -->';
const end = '<!-- guildhall memory: end -->';
const how = `Each note is a separate file; all revisions are in ~/${notesDirectory}.`;

export function layoutOf(preset: Preset, memory: Memory): PresetLayout {
  const names = memory.notes.map(({ name }) => name);
  if (preset === 'codex') {
    return { linked: { directory: codexNotes, names }, shared: nativeFiles('codex', codexDirectory, memory) };
  }
  if (preset === 'claude-code') return claudeLayout(memory);
  const index = indexOf(memory, { how });
  return index === '' ? { shared: [] } : { shared: [{ path: blockFiles[preset], content: withBlock(index) }] };
}

/** Claude Code keeps an index, loads its start, and reads a topic's file on demand. */
function claudeLayout(memory: Memory): PresetLayout {
  const own = nativeFiles('claude-code', claudeDirectory, memory);
  const index = `${claudeDirectory}/MEMORY.md`;
  const written = own.find(({ path }) => path === index)?.content('') ?? '';
  const lines = Math.max(50, maxIndexLines - written.split('\n').length - 4);
  const text = indexOf(memory, { how, lines, referTo: (file) => ('name' in file ? file.name : `~/${file.path}`) });
  return {
    linked: { directory: claudeDirectory, names: livingNotes(memory).map(({ name }) => name) },
    shared: [
      { path: '.claude/settings.json', content: withMemoryDirectory },
      ...own.filter(({ path }) => path !== index),
      { path: index, content: (before) => withBlock(text)(before === '' ? written : before) },
    ],
  };
}

/**
 * Restores the files that the agent generated in earlier sessions to their own place. For equal paths the first repository wins.
 */
function nativeFiles(agent: Preset, directory: string, { generated }: Memory): SharedFile[] {
  const files = new Map<string, string>();
  for (const file of generated)
    if (file.agent === agent && !files.has(file.nativePath)) files.set(file.nativePath, file.content);
  return [...files].map(([path, content]) => ({
    path: `${directory}/${path}`,
    content: (before) => (before === '' ? content : before),
  }));
}

function withMemoryDirectory(before: string): string {
  const settings: unknown = parsed(before);
  return `${JSON.stringify({ ...Object(settings), autoMemoryDirectory: `~/${claudeDirectory}` }, undefined, 2)}\n`;
}

/** Parses settings; invalid JSON counts as empty, as it does for the agent. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function withBlock(text: string): (before: string) => string {
  return (before) => {
    const rest = withoutBlock(before);
    if (text === '') return rest;
    return `${[`${begin}\n${text}\n${end}`, rest.trim()].filter((part) => part !== '').join('\n\n')}\n`;
  };
}

function withoutBlock(text: string): string {
  const pieces = outside(text, begin, end).map((piece) => trimOf(piece, '\n'));
  return pieces
    .filter((piece) => piece !== '')
    .join('\n')
    .trim();
}

/** The place where an agent writes its own memory. */
export interface GeneratedPlace {
  readonly agent: Preset;
  /** Below the home directory; `*` stands for any one name. */
  readonly directories: readonly string[];
  /** Tells if the agent itself wrote a file there. */
  isOwn(name: string): boolean;
  /** Removes what the platform added. */
  ownContent(content: string): string;
}

const places: Partial<Record<Preset, GeneratedPlace>> = {
  codex: {
    agent: 'codex',
    directories: [codexDirectory],
    isOwn: (name) => name === 'MEMORY.md' || name === 'memory_summary.md',
    ownContent: (content) => content,
  },
  'claude-code': {
    agent: 'claude-code',
    // Without notes the agent's own place is untouched.
    directories: [claudeDirectory, '.claude/projects/*/memory'],
    isOwn: (name) => !isNoteName(name),
    ownContent: withoutBlock,
  },
};

/** Returns the places where these agents generate memory. */
export function generatedPlaces(of: readonly Preset[]): GeneratedPlace[] {
  return of.flatMap((preset) => places[preset] ?? []);
}
