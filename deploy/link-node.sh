#!/bin/sh
# Makes node_modules/.bin/node in the working directory, the Node that npm has installed there. npm
# before 11 takes it away with the packages of other systems, which have a program of this name too.
set -eu
cd node_modules
for node in node-*/bin/node; do
  if [ -x "$node" ]; then
    mkdir -p .bin
    ln -sf "../$node" .bin/node
  fi
done
