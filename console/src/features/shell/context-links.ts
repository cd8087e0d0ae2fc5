import { BookOpen, Brain, Cable, FileJson, GitFork, GraduationCap, KeyRound, Plug, UserCog } from 'lucide-react';

/** The links of the groups Context and Code. */
export const contextLinks = [
  { to: '/$org/knowledge', label: 'Knowledge', icon: BookOpen, scope: 'knowledge:read', key: 'k' },
  { to: '/$org/memory', label: 'Memory', icon: Brain, scope: 'knowledge:read' },
  { to: '/$org/skills', label: 'Skills', icon: GraduationCap, scope: 'plugins:read' },
  { to: '/$org/mcp-servers', label: 'MCP servers', icon: Plug, scope: 'plugins:read' },
  { to: '/$org/secrets', label: 'Secrets', icon: KeyRound, scope: 'secrets:read' },
] as const;

export const codeLinks = [
  { to: '/$org/repositories', label: 'Repositories', icon: GitFork, scope: 'repos:read' },
  { to: '/$org/git-connections', label: 'Connections', icon: Cable, scope: 'repos:read' },
  { to: '/$org/agents', label: 'Agents', icon: UserCog, scope: 'org:read' },
  { to: '/$org/blueprints', label: 'Blueprints', icon: FileJson, scope: 'org:read' },
] as const;
