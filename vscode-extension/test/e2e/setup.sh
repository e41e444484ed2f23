#!/usr/bin/env bash
# Puts what the editor tests need into a folder: Node 24, code-server (VS Code as a web server), Chromium from Debian.
# What is there already stays.  Usage: setup.sh FOLDER
set -euo pipefail

NODE=24
CODE_SERVER=4.139.1
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

say() { printf '==> %s\n' "$*"; }

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v npm >/dev/null || missing+=(nodejs npm)
if ((${#missing[@]})); then
    say "apt-get install ${missing[*]}"
    root=
    [ "$(id -u)" -eq 0 ] || root='sudo -n'
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

quietly() { npm "$@" --no-audit --no-fund --loglevel=error >/dev/null; }

if [ ! -e "$folder/node/.$NODE" ]; then
    say "Node $NODE"
    rm -rf "$folder/node"
    mkdir -p "$folder/node"
    quietly install --prefix "$folder/node" "node@$NODE"
    touch "$folder/node/.$NODE"
fi
export PATH="$folder/node/node_modules/node/bin:$PATH"
# The certificates that this machine trusts, as Debian's own npm takes them: some networks have more than Node knows.
export NODE_OPTIONS="--use-system-ca ${NODE_OPTIONS:-}"

# Scripts of packages would build what the tests do not use.
if [ ! -e "$folder/code-server/.$CODE_SERVER" ]; then
    say "code-server $CODE_SERVER"
    rm -rf "$folder/code-server"
    mkdir -p "$folder/code-server"
    quietly install --prefix "$folder/code-server" --ignore-scripts "code-server@$CODE_SERVER"
    for part in vscode vscode/extensions; do
        (cd "$folder/code-server/node_modules/code-server/lib/$part" && quietly install --omit=dev --ignore-scripts)
    done
    touch "$folder/code-server/.$CODE_SERVER"
fi
