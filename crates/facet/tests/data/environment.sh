# A server that declares its time zone, says what it sees, and remembers in its home.
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { result "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*)
        [ -n "$STARTS" ] && echo "$$" >> "$STARTS"
        result '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        result "{\"tools\":[{\"name\":\"now\",\"description\":\"The time in $TZ.$POISON\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"see\",\"description\":\"Tells what it sees.\",\"inputSchema\":{\"type\":\"object\"}}]}" ;;
    *'"what":"remember"'*) text "$(echo kept > "$HOME/memory" 2>/dev/null && echo yes || echo no)" ;;
    *'"what":"recall"'*) text "$(cat "$HOME/memory" 2>/dev/null || echo nothing)" ;;
    *'"what":"peek"'*) text "$(ls "$PEEK" >/dev/null 2>&1 && echo seen || echo hidden)" ;;
    *'"method":"tools/call"'*) text "$(env | sort | tr '\n"\\' ';__'); PWD=$(pwd)" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
    esac
done
