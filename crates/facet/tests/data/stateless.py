"""A server of the newer era over streamable HTTP: stateless.py PORT"""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("adder", instructions="Adds numbers.")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
