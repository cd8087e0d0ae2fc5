/**
 * Which module may import which. Type-only imports count everywhere, also for cycles, but for kysely and pg: a service
 * passes a transaction on without writing SQL. Tests and the contract suites of the adapters may reach across.
 */
const tests = String.raw`(\.test\.ts|/contract\.ts|[/-]fixture\.ts)$`;
/** Of a session's run; the files beside them put them together. */
const sessionFolders = [
  'secrets',
  'log',
  'attempt',
  'checks',
  'workspace',
  'checkpoints',
  'live',
  'context',
  'agent',
  'phases',
];
const notTypes = { dependencyTypesNot: ['type-only'] };

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-cycles', 'A cycle hides which of its modules depends on which.', {
      from: {},
      to: { circular: true },
    }),
    rule('resolvable', 'An import that leads nowhere.', {
      from: {},
      to: { couldNotResolve: true },
    }),
    rule('lib-is-a-leaf', 'lib imports nothing of src.', {
      from: { path: '^server/src/lib/' },
      to: { path: '^server/src/', pathNot: '^server/src/lib/' },
    }),
    rule('git-is-a-toolkit', 'What runs git and reads its formats knows lib alone.', {
      from: { path: '^server/src/git/', pathNot: tests },
      to: { path: '^server/src/', pathNot: '^server/src/(git|lib)/' },
    }),
    rule('adapters-keep-to-their-seam', 'An adapter imports lib, the git toolkit and its own seam.', {
      from: { path: '^server/src/adapters/([^/]+)/', pathNot: tests },
      to: { path: '^server/', pathNot: ['^server/src/(lib|git)/', '^server/src/adapters/$1/'] },
    }),
    rule('providers-keep-apart', 'One provider of a seam does not import another.', {
      from: { path: '^server/src/adapters/([^/]+)/([^/]+)/', pathNot: tests },
      to: {
        path: provider('$1'),
        pathNot: '^server/src/adapters/$1/$2/',
      },
    }),
    rule('composition-picks-providers', 'Only the composition root imports a provider; everyone else its port.', {
      from: {
        path: '^server/src/',
        pathNot: [tests, '^server/src/(app/|(main|admin)\\.ts$)', '^server/src/adapters/'],
      },
      to: { path: provider('[^/]+') },
    }),
    rule('http-knows-no-feature', 'http is what every feature shares.', {
      from: { path: '^server/src/http/', pathNot: tests },
      to: { path: '^server/src/(features|runtime|gateway|adapters)/' },
    }),
    rule('refusals-know-no-http', 'What refuses a field throws lib/field-error.ts; http says where it stood.', {
      from: { path: '^server/src/', pathNot: [tests, '^server/src/http/'] },
      to: { path: String.raw`^server/src/http/(errors|problems)\.ts$` },
    }),
    rule('mutations-serve-features', 'A mutation, and its entry in the audit trail, is what every feature shares.', {
      from: { path: '^server/src/mutation/', pathNot: tests },
      to: { path: '^server/src/(features|http|runtime|gateway|adapters)/' },
    }),
    rule('the-outbox-serves-features', 'Domain events are what every feature may publish and follow.', {
      from: { path: '^server/src/outbox/', pathNot: tests },
      to: { path: '^server/src/(features|mutation|http|runtime|gateway|adapters)/' },
    }),
    rule('jobs-and-db-know-no-feature', 'The database and the queue serve every feature.', {
      from: { path: '^server/src/(db|jobs)/', pathNot: tests },
      to: { path: '^server/src/', pathNot: '^server/src/(db|jobs|lib)/' },
    }),
    rule('features-know-no-runtime', 'A feature does not know what runs its sessions.', {
      from: { path: '^server/src/features/', pathNot: tests },
      to: { path: '^server/src/(runtime/|gateway/|app/(?!context\\.ts$))' },
    }),
    rule('features-meet-in-services', "Another feature's store and routes are its own.", {
      from: { path: '^server/src/features/([^/]+)/', pathNot: tests },
      to: { path: '(store|routes)\\.ts$', pathNot: ['^server/src/features/$1/', '^server/src/(http|adapters)/'] },
    }),
    ...oneWay('server/src/features/sessions', ['schemas', 'store', 'dispatch', 'run', 'api', 'live']),
    rule('stores-serve-services', 'Routes declare and call a service.', {
      from: { path: '^server/src/features/.*routes\\.ts$' },
      to: { path: '^server/src/features/.*store\\.ts$' },
    }),
    rule('runtime-uses-services', 'The worker reaches data through services.', {
      from: { path: '^server/src/runtime/', pathNot: tests },
      to: { path: ['^server/src/http/', '^server/src/features/.*(store|routes)\\.ts$'] },
    }),
    ...oneWay('server/src/runtime/session', sessionFolders),
    rule('gateway-stands-alone', 'The gateway is told what it needs by whoever opens it.', {
      from: { path: '^server/src/gateway/', pathNot: tests },
      to: { path: '^server/src/(http|features|runtime|db|jobs)(/|\\.ts$)' },
    }),
    rule('sql-in-stores', 'SQL is in stores, db and jobs.', {
      from: { path: '^server/', pathNot: [tests, 'store\\.ts$', '^server/src/(db|jobs)/', '^server/test/'] },
      to: { path: 'node_modules/(kysely|pg|pg-boss)/', ...notTypes },
    }),
    rule('two-files-call-c', 'No compiler checks what koffi calls.', {
      from: { path: '^(server|client|cli)/', pathNot: String.raw`^server/src/lib/(spawn/posix-spawn|flock)\.ts$` },
      to: { path: 'node_modules/koffi/' },
    }),
    rule('the-server-is-not-its-test', 'What ships imports no test support.', {
      from: { path: '^(server|client|cli)/src/', pathNot: tests },
      to: { path: ['^server/test/', tests] },
    }),
    rule('clients-use-the-api', 'The client and the command line know the API, not the server.', {
      from: { path: '^(client|cli)/', pathNot: tests },
      to: { path: '^(server|bench|scripts)/' },
    }),
    rule('no-development-dependency-in-src', 'A development dependency is absent where the program runs.', {
      from: { path: '^(server|client|cli)/src/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { conditionNames: ['import', 'types', 'node', 'default'], exportsFields: ['exports'] },
  },
};

function rule(name, comment, { from, to }) {
  return { name, comment, severity: 'error', from, to };
}

/** Folders in the order in which they build on one another. What lies beside them uses all of them, and none of them uses it. */
function oneWay(parent, folders) {
  const name = `${parent.split('/').slice(2).join('-')}-goes-one-way`;
  const comment = `The folders of ${parent} build on one another: ${folders.join(', ')}. None imports a file beside them.`;
  return folders.map((folder, index) =>
    rule(name, comment, {
      from: { path: `^${parent}/${folder}/`, pathNot: tests },
      to: { path: `^${parent}/(?!(${folders.slice(0, index + 1).join('|')})/)` },
    }),
  );
}

/** A folder below a seam is one way to serve it, but for the supervisor, which all sandboxes share. */
function provider(seam) {
  return String.raw`^server/src/adapters/${seam}/(?!supervisor/)[^/]+/`;
}
