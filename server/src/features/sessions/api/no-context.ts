interface ChosenContext {
  secret_ids: string[];
  knowledge_ids: string[];
  skill_ids: string[];
  mcp_server_ids: string[];
  memory_enabled: boolean;
}

/**
 * The context of a session that reads what anybody may have written, and whose answer others may read: nothing that the
 * organization keeps.
 */
export const noContext: ChosenContext = {
  secret_ids: [],
  knowledge_ids: [],
  skill_ids: [],
  mcp_server_ids: [],
  memory_enabled: false,
};
