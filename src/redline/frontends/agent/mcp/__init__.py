"""The model's port as an MCP server on standard input and output; only `server` and `stdio` need the SDK."""
