#!/usr/bin/env bash
# Measures lock libraries beside each other and prints Markdown tables: run.sh [-Dname=value…] [scenario [library…]]
# README.md beside this file lists the scenarios, libraries and settings. Needs a JDK and Maven, nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -q -pl lock-benchmarks -am -DskipTests package >&2 </dev/null

settings=()
while [[ ${1-} == -D* ]]; do
	settings+=("$1")
	shift
done
# shellcheck disable=SC2086 # JAVA_OPTS are several words
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" ${JAVA_OPTS-} ${settings[@]+"${settings[@]}"} -cp 'lock-benchmarks/target/classes:lock-benchmarks/target/lib/*' \
	io.holdfast.lock.benchmarks.Benchmarks "$@"
