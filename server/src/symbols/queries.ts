import type { Language } from './languages.ts';

export const symbolKinds = [
  'class',
  'constant',
  'constructor',
  'enum',
  'field',
  'function',
  'interface',
  'macro',
  'method',
  'module',
  'property',
  'struct',
  'type',
] as const;

export type SymbolKind = (typeof symbolKinds)[number];

const functionsAndClasses = `
  (function_declaration name: (identifier) @name) @function
  (generator_function_declaration name: (identifier) @name) @function
  (class_declaration name: (_) @name) @class
  (method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
  (program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
  (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
  (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
`;

const typescript = `${functionsAndClasses}
  (abstract_class_declaration name: (type_identifier) @name) @class
  (interface_declaration name: (type_identifier) @name) @interface
  (type_alias_declaration name: (type_identifier) @name) @type
  (enum_declaration name: (identifier) @name) @enum
  (method_signature name: (property_identifier) @name) @method
  (abstract_method_signature name: (property_identifier) @name) @method
  (function_signature name: (identifier) @name) @function
  (internal_module name: (_) @name) @module
`;

/** Tree-sitter queries for definitions, by language. The capture around a \`@name\` is a {@link SymbolKind}. */
export const queries: Record<Language, string> = {
  javascript: functionsAndClasses,
  typescript,
  tsx: typescript,
  bash: `(function_definition name: (word) @name) @function`,
  'c-sharp': `
    (class_declaration name: (identifier) @name) @class
    (interface_declaration name: (identifier) @name) @interface
    (struct_declaration name: (identifier) @name) @struct
    (record_declaration name: (identifier) @name) @class
    (enum_declaration name: (identifier) @name) @enum
    (delegate_declaration name: (identifier) @name) @type
    (method_declaration name: (identifier) @name) @method
    (constructor_declaration name: (identifier) @name) @constructor
    (property_declaration name: (identifier) @name) @property
    (namespace_declaration name: (_) @name) @module
  `,
  cpp: `
    (function_definition declarator: (function_declarator
      declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name) (destructor_name)] @name)) @function
    (function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
    (function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
    (class_specifier name: (type_identifier) @name body: (_)) @class
    (struct_specifier name: (type_identifier) @name body: (_)) @struct
    (union_specifier name: (type_identifier) @name body: (_)) @struct
    (enum_specifier name: (type_identifier) @name body: (_)) @enum
    (namespace_definition name: (_) @name) @module
    (type_definition declarator: (type_identifier) @name) @type
    (alias_declaration name: (type_identifier) @name) @type
    (preproc_def name: (identifier) @name) @macro
    (preproc_function_def name: (identifier) @name) @macro
  `,
  go: `
    (function_declaration name: (identifier) @name) @function
    (method_declaration name: (field_identifier) @name) @method
    (type_spec name: (type_identifier) @name type: (struct_type)) @struct
    (type_spec name: (type_identifier) @name type: (interface_type)) @interface
    (type_spec name: (type_identifier) @name) @type
    (source_file (const_declaration (const_spec name: (identifier) @name) @constant))
    (source_file (var_declaration (var_spec name: (identifier) @name) @constant))
  `,
  java: `
    (class_declaration name: (identifier) @name) @class
    (interface_declaration name: (identifier) @name) @interface
    (annotation_type_declaration name: (identifier) @name) @interface
    (enum_declaration name: (identifier) @name) @enum
    (record_declaration name: (identifier) @name) @class
    (method_declaration name: (identifier) @name) @method
    (constructor_declaration name: (identifier) @name) @constructor
    (field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
  `,
  php: `
    (function_definition name: (name) @name) @function
    (method_declaration name: (name) @name) @method
    (class_declaration name: (name) @name) @class
    (interface_declaration name: (name) @name) @interface
    (trait_declaration name: (name) @name) @class
    (enum_declaration name: (name) @name) @enum
    (const_element (name) @name) @constant
  `,
  powershell: `
    (function_statement (function_name) @name) @function
    (class_statement (simple_name) @name) @class
  `,
  python: `
    (function_definition name: (identifier) @name) @function
    (class_definition name: (identifier) @name) @class
    (module (expression_statement (assignment left: (identifier) @name) @constant))
  `,
  ruby: `
    (method name: (_) @name) @method
    (singleton_method name: (_) @name) @method
    (class name: (_) @name) @class
    (module name: (_) @name) @module
    (assignment left: (constant) @name) @constant
  `,
  rust: `
    (function_item name: (identifier) @name) @function
    (function_signature_item name: (identifier) @name) @function
    (struct_item name: (type_identifier) @name) @struct
    (union_item name: (type_identifier) @name) @struct
    (enum_item name: (type_identifier) @name) @enum
    (trait_item name: (type_identifier) @name) @interface
    (type_item name: (type_identifier) @name) @type
    (mod_item name: (identifier) @name) @module
    (const_item name: (identifier) @name) @constant
    (static_item name: (identifier) @name) @constant
    (macro_definition name: (identifier) @name) @macro
  `,
};
