#!/bin/sh
# Installs the service with its Node into a directory that is not there yet, for its owner to change
# and all to run: "deploy/install.sh /opt/iam-0.2.0". It needs npm, and no compiler.
set -eu
to=${1:?"names the directory to make: deploy/install.sh /opt/iam-0.2.0"}
umask 022
mkdir -p -- "$(dirname -- "$to")"
mkdir -- "$to"
to=$(cd -- "$to" && pwd)
cd -- "$(dirname -- "$0")/.."
cp -R bin gen src package.json package-lock.json .npmrc LICENSE "$to"
cd -- "$to"
npm ci --omit=dev --ignore-scripts

# What nothing reads at run time: what compilers and editors read, and programs of other systems.
cd node_modules
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete
rm -rf node-*/include node-*/share better-sqlite3/deps better-sqlite3/src
this=$(.bin/node --print '`${process.platform}-${process.arch}`')
find better-sqlite3/prebuilds -type f ! -name "$this.node" -delete
cd ..

# Compiled once, since the user of the service may not write here.
bin/iam --help > /dev/null
