#!/usr/bin/env bash
# Prints tables like those of lock-benchmarks/RESULTS.md, of shorter rounds, each below its command: full-run.sh [JAVA_HOME of a JDK 21 or newer]
# Takes about an hour. Nothing else may run on the machine meanwhile.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

run() {
	printf '\n`run.sh %s`\n\n' "$*"
	"$here"/run.sh "$@"
}

run -Drounds=1 -Dseconds=2 profile raw-jedis holdfast-jedis shedlock
run -Drounds=3 -Dseconds=1 distinct-keys raw holdfast-jedis holdfast-lettuce redisson shedlock spring-spin lock4j
run -Drounds=3 -Dseconds=4 distinct-keys raw-jedis holdfast-jedis
run -Drounds=3 -Dseconds=1 hot-key-local
run -Drounds=3 -Dseconds=1 hot-key
run -Drounds=1 -Dseconds=5 hot-key holdfast redisson spring-spin
run -Drounds=1 -Dseconds=6 fair
run -Drounds=1 -Dseconds=20 fair raw-queue holdfast-fair-jedis redisson-fair
run -Drounds=3 -Dseconds=3 read-write
run -Drounds=3 -Dseconds=3 permits
run -Drounds=1 -Dseconds=1 many-waiters holdfast-jedis holdfast-fair-jedis redisson redisson-fair spring-pubsub
run -Drounds=1 -Dseconds=2 many-waits holdfast-jedis redisson spring lock4j
run -Drounds=1 held-locks holdfast-jedis redisson
run -Drounds=1 -Dkeys=10000000 many-keys holdfast-jedis
run -Drounds=2 -Dseconds=1 nested
run -Drounds=2 -Dseconds=1 interceptor
run -Drounds=1 -Dseconds=1 clients
run -Drounds=1 -Dseconds=1 growth
if [[ -n ${1-} ]]; then
	export JAVA_HOME=$1
	run -Drounds=1 virtual-threads
fi
