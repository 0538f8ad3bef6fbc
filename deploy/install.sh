#!/bin/sh
# Installs the service with its Node into a directory that is not there yet, for its owner to change
# and all to run. The number is that of the user who will run it. It needs npm, and no compiler.
#   deploy/install.sh /opt/iam-0.2.0 "$(id -u iam)"
set -eu
to=${1:?"The first operand is the directory to make, for example /opt/iam-0.2.0."}
uid=${2:-$(id -u)}
umask 022
mkdir -p -- "$(dirname -- "$to")"
mkdir -- "$to"
to=$(cd -- "$to" && pwd)
cd -- "$(dirname -- "$0")/.."
link_node=$PWD/deploy/link-node.sh
cp -R bin gen src package.json package-lock.json .npmrc LICENSE "$to"
cd -- "$to"
npm ci --omit=dev --ignore-scripts
"$link_node"
node_modules/.bin/node src/start/bundle.ts
npm pkg delete dependencies.esbuild
npm prune --omit=dev --ignore-scripts
"$link_node"
# What it has, in a form for programs. With --omit=dev npm leaves out what tests need as well.
npm pkg delete devDependencies
# npm before 9.9 has no such command: it says so there, and some of them fail besides.
hasNone() { grep -q '^Unknown command' sbom.cdx.json; }
npm sbom --sbom-format cyclonedx > sbom.cdx.json || hasNone
if hasNone; then
  rm sbom.cdx.json
  echo "Left out sbom.cdx.json: npm 9.9 or newer makes it." >&2
fi

# What nothing reads at run time: sources that Node refuses there, what editors and compilers read,
# tests and documents of packages, and programs of other systems.
cd node_modules
find . -type f \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.map' \) -delete
find . -mindepth 2 -maxdepth 3 -type d \( -name test -o -name docs -o -name benchmark \) -prune \
  -exec rm -rf {} +
rm -rf node-*/include node-*/share better-sqlite3/deps better-sqlite3/src
this=$(.bin/node --print '`${process.platform}-${process.arch}`')
find better-sqlite3/prebuilds -type f ! -name "$this.node" -delete
cd ..

bin/iam version
# Node keeps what it has compiled for each user, and that of the service may not write here. This
# start loads the service, and ends for want of its certificate before it makes anything.
unset NODE_COMPILE_CACHE
cache=node_modules/.cache/node
# Its ports are any that are free: the service may run from another directory.
! IAM_PORT=0 IAM_METRICS_PORT= IAM_TLS_CERT=none IAM_TLS_KEY=none bin/iam serve 2> /dev/null
compiled=$(echo "$cache"/*)
[ "$compiled" = "${compiled%-*}-$uid" ] || mv "$compiled" "${compiled%-*}-$uid"
chmod -R go=rX "$cache"
