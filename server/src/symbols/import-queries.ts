import type { Language } from './languages.ts';

const javascript = `
  (import_statement source: (string) @import)
  (export_statement source: (string) @import)
  (call_expression function: (import) arguments: (arguments . (string) @import))
  (call_expression function: (identifier) @callee arguments: (arguments . (string) @import) (#eq? @callee "require"))
`;

/** Tree-sitter queries for the names of imported modules and files, by language. */
export const importQueries: Record<Language, string> = {
  javascript,
  typescript: javascript,
  tsx: javascript,
  bash: `(command name: (command_name) @callee argument: (_) @import (#match? @callee "^(source|[.])$"))`,
  'c-sharp': `(using_directive (_) @import)`,
  cpp: `(preproc_include path: (_) @import)`,
  go: `(import_spec path: (_) @import)`,
  java: `(import_declaration (scoped_identifier) @import)`,
  php: `(namespace_use_clause (qualified_name) @import)`,
  powershell: '',
  python: `
    (import_statement name: (dotted_name) @import)
    (import_statement name: (aliased_import name: (dotted_name) @import))
    (import_from_statement module_name: (_) @import)
  `,
  ruby: `(call method: (identifier) @callee arguments: (argument_list . (string) @import) (#match? @callee "^require"))`,
  rust: `
    (mod_item name: (identifier) @import !body)
    (use_declaration argument: (_) @import)
  `,
};
