# A small MCP server, for a project that is kept as a fixture.
tool='{"name":"greet","description":"Greets somebody.","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}'
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*)
        result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1.0.0"}}' ;;
    *'"method":"tools/list"'*) result="{\"tools\":[$tool]}" ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"hello"}]}' ;;
    *'"method":"ping"'*) result='{}' ;;
    *'"id":'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"
        continue ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
