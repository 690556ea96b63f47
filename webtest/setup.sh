# Finds or installs what the browser tests need; $work is a folder for logs. To be sourced.
skip() { echo "webtest: skipped: $*"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "no node"
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; } >"$work/apt.log" 2>&1 || true
fi
command -v chromium >/dev/null || skip "no chromium"
CHROMIUM=$(command -v chromium)
REEL_NODE=${REEL_NODE:-$HOME/.cache/reel/node}
export CHROMIUM REEL_NODE
# want MODULE...: install those of package.json that are not there.
want() {
  for module in "$@"; do
    [ -d "$REEL_NODE/node_modules/$module" ] && continue
    version=$(node -p 'require(process.argv[1]).dependencies[process.argv[2]]' "$PWD/webtest/package.json" "$module")
    mkdir -p "$REEL_NODE"
    (cd "$REEL_NODE" && npm install --no-audit --no-fund "$module@$version") >"$work/npm.log" 2>&1 || skip "$module cannot be installed"
  done
}
want playwright-core
