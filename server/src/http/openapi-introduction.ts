/** The introduction of the reference page: rules for all operations, in Markdown. */
export const introduction = `Drives software-engineering agents for an organization: sessions, and everything around them.

\`\`\`sh
curl "$GUILDHALL_URL/v3/organizations/default/sessions" \\
  -H "Authorization: Bearer $GUILDHALL_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"prompt": "Write a script that lists the licenses which end this year."}'
\`\`\`

## Keys and scopes

Send \`Authorization: Bearer guild_…\`. A key belongs to one organization and has scopes. Each operation says which one it
needs: its description for people, \`x-scope\` for programs. \`x-persons-only\` marks operations that refuse the keys of
service users and apps. \`GET /v3/self\` returns the owner of a key and its scopes.

## Organizations

A path below \`/v3/organizations/{orgId}\` names the organization by its id or its slug. A resource of another organization
returns 404, exactly like one that does not exist.

## Lists

A list comes in pages of \`first\` items, 50 by default and 200 at most. Most lists begin with the newest item; the others say
so. While \`has_next_page\` is true, send \`end_cursor\` as \`after\` for the next page. \`total\` counts all items. A filter
takes several values separated by commas. Filters combine with "and". An empty filter, such as \`search=\`, is refused with 400:
omit it to exclude nothing.

## Values

Times are ISO 8601 in UTC: \`2026-01-31T09:30:00.000Z\`. A response always has every documented key. An unset value is \`""\`,
\`{}\` or \`[]\`; it is \`null\` only where the field says so. Operations below \`/v3\` refuse unknown keys of a body; the
others ignore them. A \`PATCH\` leaves omitted keys unchanged.

## Errors

An error has an HTTP status and this body:

\`\`\`json
{
  "error": "invalid_request",
  "message": "body.budget.max_turns must be at least 1.",
  "details": {
    "issues": [
      { "in": "body", "path": ["budget", "max_turns"], "code": "greater_than_equal", "message": "must be at least 1" }
    ]
  },
  "request_id": "req_01kt6ywfknj6n1v7q6w9c4c8z3"
}
\`\`\`

Decide by \`error\`; \`message\` is for people. \`details\` depends on \`error\`. For an invalid request it lists \`issues\`:
the part of the request (\`body\`, \`query\`, \`path\` or \`header\`), the keys that lead to the field, and the problem. Give
\`request_id\`, also the header \`x-request-id\`, to the operator: the server's log has it. Operations outside of \`/v3\`
return \`{error, message}\`, and for an invalid request 422 with \`detail\`: a list of \`{loc, msg, type, input, ctx}\`.

## Repeating a request

Send an \`Idempotency-Key\` of 1 to 255 visible ASCII characters with a \`POST\`, and a new one for every new request. A
repetition with the same key and body within 24 hours has no other effect, and returns the first response with
\`idempotent-replayed: true\`. Another body with the same key is 409 \`idempotency_conflict\`.

## Concurrent changes

A record has an \`ETag\`, which changes with the record. Send it as \`If-Match\` with a \`PUT\`, \`PATCH\` or \`DELETE\`:
if somebody else changed the record since, the response is 412 \`revision_conflict\`, and nothing changes. Of a resource with
a \`revision\` it is the revision in quotation marks, such as \`"3"\`. In a compressed response it ends with the coding, as in
\`"3.br"\`, and names the same state. With the \`ETag\` as \`If-None-Match\`, the read of an unchanged record
without a revision returns 304. A \`DELETE\` of a part of a record, such as a range of the IP access list, takes the
\`ETag\` of the record. What never changes, such as a key, an invitation or an attachment, has none.

## Limits

Each key has a rate limit; \`ratelimit-limit\`, \`ratelimit-remaining\` and \`ratelimit-reset\` show it. All keys and sign-ins
of one user, service user or app share another one, five times as high. After 429 and 503 wait for the seconds in
\`retry-after\`.

## Streams

\`GET …/sessions/{id}/events/stream\` sends events while they happen, as server-sent events. After a lost connection send the
last \`id\` as \`Last-Event-ID\`: no event is lost or repeated.

## Browsers

Pages of the same origin can use the cookie of a sign-in, \`POST /v3/auth/sign-in\`, instead of a key. A request that changes
something then needs the header \`x-guildhall-csrf: 1\`. If you belong to several organizations, \`x-guildhall-organization\`
names one where the path does not. There are no CORS headers: a page of another origin needs a server of its own, which holds
the key.

## Names for programs

The document is at \`/openapi.json\` and \`/openapi.yaml\`. Every operation has an \`operationId\`. \`x-item-schema\` is the
schema of one event of a stream, or of one line; OpenAPI 3.2 calls it \`itemSchema\`.`;
