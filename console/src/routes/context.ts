import { createRoute } from '@tanstack/react-router';
import { noteFiltersOf } from '../features/knowledge/queries.ts';
import { serverFiltersOf } from '../features/mcp-servers/queries.ts';
import { secretFiltersOf } from '../features/secrets/queries.ts';
import { isProvider, type Provider } from '../features/memory/queries.ts';
import { skillFiltersOf } from '../features/skills/queries.ts';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const knowledge = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge',
  validateSearch: noteFiltersOf,
  component: screen(() => import('../features/knowledge/KnowledgeScreen.tsx'), 'KnowledgeScreen'),
});

const tryKnowledge = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge/try',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['q', 'repo']),
  component: screen(() => import('../features/knowledge/TryScreen.tsx'), 'TryScreen'),
});

const newNote = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge/new',
  component: screen(() => import('../features/knowledge/NewNoteScreen.tsx'), 'NewNoteScreen'),
});

const importNotes = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge/import',
  component: screen(() => import('../features/knowledge/ImportScreen.tsx'), 'ImportScreen'),
});

const suggestions = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge/suggestions',
  validateSearch: ({ status }: Record<string, unknown>): { status?: 'pending' | 'accepted' | 'dismissed' } =>
    status === 'pending' || status === 'accepted' || status === 'dismissed' ? { status } : {},
  component: screen(() => import('../features/knowledge/SuggestionsScreen.tsx'), 'SuggestionsScreen'),
});

const note = createRoute({
  getParentRoute: () => organization,
  path: 'knowledge/$noteId',
  validateSearch: ({ tab, rev }: Record<string, unknown>): { tab?: 'note' | 'versions'; rev?: number } => ({
    ...(tab === 'note' || tab === 'versions' ? { tab } : {}),
    ...(typeof rev === 'number' && Number.isInteger(rev) && rev > 0 ? { rev } : {}),
  }),
  component: screen(() => import('../features/knowledge/NoteScreen.tsx'), 'NoteScreen'),
});

const secrets = createRoute({
  getParentRoute: () => organization,
  path: 'secrets',
  validateSearch: secretFiltersOf,
  component: screen(() => import('../features/secrets/SecretsScreen.tsx'), 'SecretsScreen'),
});

const newSecret = createRoute({
  getParentRoute: () => organization,
  path: 'secrets/new',
  component: screen(() => import('../features/secrets/NewSecretScreen.tsx'), 'NewSecretScreen'),
});

const pasteSecrets = createRoute({
  getParentRoute: () => organization,
  path: 'secrets/paste',
  component: screen(() => import('../features/secrets/PasteScreen.tsx'), 'PasteScreen'),
});

const secret = createRoute({
  getParentRoute: () => organization,
  path: 'secrets/$id',
  component: screen(() => import('../features/secrets/SecretScreen.tsx'), 'SecretScreen'),
});

const servers = createRoute({
  getParentRoute: () => organization,
  path: 'mcp-servers',
  validateSearch: serverFiltersOf,
  component: screen(() => import('../features/mcp-servers/ServersScreen.tsx'), 'ServersScreen'),
});

const newServer = createRoute({
  getParentRoute: () => organization,
  path: 'mcp-servers/new',
  component: screen(() => import('../features/mcp-servers/NewServerScreen.tsx'), 'NewServerScreen'),
});

const server = createRoute({
  getParentRoute: () => organization,
  path: 'mcp-servers/$id',
  component: screen(() => import('../features/mcp-servers/ServerScreen.tsx'), 'ServerScreen'),
});

const skills = createRoute({
  getParentRoute: () => organization,
  path: 'skills',
  validateSearch: skillFiltersOf,
  component: screen(() => import('../features/skills/SkillsScreen.tsx'), 'SkillsScreen'),
});

const trySkills = createRoute({
  getParentRoute: () => organization,
  path: 'skills/try',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['q', 'repo']),
  component: screen(() => import('../features/skills/TrySkillsScreen.tsx'), 'TrySkillsScreen'),
});

const newSkill = createRoute({
  getParentRoute: () => organization,
  path: 'skills/new',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'write' | 'upload' | 'import' } =>
    tab === 'write' || tab === 'upload' || tab === 'import' ? { tab } : {},
  component: screen(() => import('../features/skills/NewSkillScreen.tsx'), 'NewSkillScreen'),
});

const skill = createRoute({
  getParentRoute: () => organization,
  path: 'skills/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: 'files' | 'revisions' | 'settings'; file?: string } => {
    const { tab } = search;
    return {
      ...textsOf(search, ['file']),
      ...(tab === 'files' || tab === 'revisions' || tab === 'settings' ? { tab } : {}),
    };
  },
  component: screen(() => import('../features/skills/SkillScreen.tsx'), 'SkillScreen'),
});

const memory = createRoute({
  getParentRoute: () => organization,
  path: 'memory',
  validateSearch: (search: Record<string, unknown>): { repo?: string; provider?: Provider } => {
    const { provider } = search;
    return { ...textsOf(search, ['repo']), ...(isProvider(provider) ? { provider } : {}) };
  },
  component: screen(() => import('../features/memory/MemoryScreen.tsx'), 'MemoryScreen'),
});

export const context = [
  knowledge,
  tryKnowledge,
  newNote,
  importNotes,
  suggestions,
  note,
  secrets,
  newSecret,
  pasteSecrets,
  secret,
  servers,
  newServer,
  server,
  skills,
  trySkills,
  newSkill,
  skill,
  memory,
] as const;
