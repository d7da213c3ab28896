#!/usr/bin/env bash
# Breaks what locks run on and checks what they promised:
#   run.sh --minutes 10 --seed 1 --topology standalone
# README.md beside this file lists the options. Needs a JDK and Maven, nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -q -pl lock-chaos -am -DskipTests package >&2 </dev/null

settings=()
while [[ ${1-} == -D* ]]; do
	settings+=("$1")
	shift
done
# shellcheck disable=SC2086 # JAVA_OPTS are several words
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx4g ${JAVA_OPTS-} ${settings[@]+"${settings[@]}"} -cp 'lock-chaos/target/classes:lock-chaos/target/lib/*' \
	io.holdfast.lock.chaos.Chaos "$@"
