-- The audience of a key: the API, or only the platform's MCP server.
alter table api_keys rename column door to audience;
