#!/usr/bin/env bash
# test_installed_studio.sh PLIANT: starts the studio of an installation and fetches its page and one of its libraries, and
# makes a page of a run.
set -euo pipefail
pliant=$1
folder=$(mktemp -d)
cd "$folder"
trap 'kill "$studio" 2>/dev/null || true; rm -rf "$folder"' EXIT
"$pliant" studio --no-open >out 2>err &
studio=$!
tries=0
until grep -qs 'http:' out; do
    if ! kill -0 "$studio" 2>/dev/null; then
        cat err
        # No libraries in the sources: then saying so, with the remedy, is all that is asked.
        grep -q 'three.js and uPlot' err && grep -q 'npm ci' err && exit 0
        exit 1
    fi
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || { echo "the studio did not start"; exit 1; }
    sleep 0.1
done
url=$(grep -o 'http:[^ ]*' out)
port=${url#http://127.0.0.1:}
path=/${port#*/}
port=${port%%/*}
for file in "" main.js voices.js vendor/three.module.js thumbs/quickstart.jpg; do
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$path" "$file" "$port" >&3
    cat <&3 >answer
    exec 3>&-
    status=$(head -c 12 answer)
    size=$(stat -c %s answer)
    echo "$status, $size bytes: ${file:-the page}"
    [ "$status" = "HTTP/1.1 200" ] && [ "$size" -gt 1500 ] || exit 1
done
# The installed program finds what a one-file page is made of.
printf 'world { duration = 0.1 }\nfem_body { name = "box", surface = box { size = {1, 1, 1} }, volume = lattice { cell = 0.5 } }\n' >box.lua
"$pliant" convert box.lua box.html
[ "$(stat -c %s box.html)" -gt 300000 ] || exit 1
