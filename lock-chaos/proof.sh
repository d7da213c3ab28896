#!/usr/bin/env bash
# The public evidence for HEAD in one command, as a page of Markdown on the standard output:
#   proof.sh --seconds 120 --seed 1 > docs/proof.md
# The contract of locks on Redis in each form, the simulation of the engine, the model (if Spin is installed), and
# chaos of so many seconds each, for other libraries as well. Fails if anything of Holdfast does. Takes half an hour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=120 seed=1 verdict=0
while (($#)); do
	case $1 in
		--seconds) seconds=$2 ;;
		--seed) seed=$2 ;;
		*) echo "Unknown option $1" >&2 && exit 2 ;;
	esac
	shift 2
done
work=$PWD/lock-chaos/target/proof
rm -rf "$work"
mkdir -p "$work"
# A clone, so that the page is about a commit, and the tree may change meanwhile
git clone -q . "$work/clone"
cd "$work/clone"

# tests NAME MAVEN-ARGUMENTS…: a row with how many tests ran and failed
tests() {
	local name=$1 status=0 log=$work/${1//[ ,]/-}.log
	shift
	mvn -B -Pfast test "$@" -Dsurefire.failIfNoSpecifiedTests=false >"$log" 2>&1 </dev/null || status=1
	awk -v name="$name" -F '[:,]' '/Tests run: .*Skipped: [0-9]+$/ { run += $2; bad += $4 + $6; skipped += $8 }
		END { printf "| %s | %d | %d | %d |\n", name, run, bad, skipped; exit run == 0 || bad > 0 }' "$log" || status=1
	((verdict |= status)) || true
}

# chaos LIBRARY TOPOLOGY: a row of what a run with faults found
chaos() {
	local library=$1 topology=$2 status=0 report=$work/$1-$2.md
	mkdir -p "$work/$library-$topology"
	lock-chaos/run.sh "-Djava.io.tmpdir=$work/$library-$topology" --seconds "$seconds" --seed "$seed" \
		--library "$library" --topology "$topology" >"$report" 2>"${report%.md}.log" || status=1
	awk -v what="$library | $topology" '
		/^- grants:/ { grants = $3 }
		/^- (two holders|holds passed on|grants with the token)/ { gsub(",", "", $NF); excused += $NF }
		/^\| [a-z]/ { split($0, cells, " *[|] *"); if (cells[3] ~ /^[0-9]+$/) faults += cells[3] }
		/^\| P[0-9]+:/ { number = substr($2, 2) + 0; found[number == 4 ? 1 : number < 4 ? 2 : number == 5 ? 3 : 4] += $(NF - 1) }
		END { printf "| %s | %s | %d | %s | **%d** | **%d** | **%d** | **%d** |\n", what, grants, faults, excused,
			found[1], found[2], found[3], found[4] }' "$report"
	# Nothing is shown by a run in which nobody got a lock
	{ grep -q "^- violations:" "$report" && ! grep -q "^- grants: 0 " "$report"; } || verdict=1
	[[ $library != holdfast ]] || ((verdict |= status)) || true
}

cat <<-END
	# Proof

	What \`lock-chaos/proof.sh --seconds $seconds --seed $seed\` found at \`$(git describe --always --exclude "*")\`, with $(nproc) processors, Java
	$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -XshowSettings:properties -version 2>&1 | awk '/java.version =/ { print $3 }') and the Redis from Maven. Anybody can run it, with a seed of their own.

	## The contract of locks

	From *sentinel* down, only the tests that need a server. A quorum has tests of its own.

	| on | tests run | failed | skipped |
	|---|---:|---:|---:|
END
tests 'one server, and in memory' -pl lock-core,lock-local -Dgroups=contract
for setup in sentinel cluster acl tls; do
	tests "$setup" -pl lock-core -Dgroups=topology -Dredis.setup=$setup
done

cat <<-END

	## The engine, simulated

	20,000 schedules of clients, deaths, pauses and lost messages on one thread, from seed $seed.

	| | tests run | failed | skipped |
	|---|---:|---:|---:|
END
tests 'EngineSimulationTests' -pl lock-core,lock-local -Dtest=EngineSimulationTests "-Dsimulation.first=$seed"

printf '\n## The model\n\n'
if command -v spin >/dev/null; then
	if ! docs/internals/model/check.sh >"$work/model.md"; then
		verdict=1
		printf '**Failed.** The numbers are of all rows. '
	fi
	awk -F '|' '/no error/ { right++ } /found/ { found++ } /WRONG|not finished/ { wrong++ }
		END { printf "%d variants have no error, and the error of each of %d mutants is found (one of them is a known limit). Other results: %d.\n", right, found, wrong }' \
		"$work/model.md"
else
	echo 'Not checked: Spin is not installed.'
fi

cat <<-END

	## Chaos

	$seconds seconds of faults each. [What happens, and what is checked](../lock-chaos/README.md). Two holds at once that exclude each other are a
	violation, unless the server lost data or failed over: no lock on it prevents those, nor tokens that are too old then, and both are excused. The last four columns are
	violations: holds at once (P4), fencing tokens that repeat or go back (P1 to P3), owners who lost a lock and were not told (P5), and all others.
	Other libraries are judged by what Holdfast promises, which is more than they do: Redisson counts its tokens in Redis, which was emptied.

	| library | on | grants | faults | excused | at once | tokens | not told | other |
	|---|---|---:|---:|---:|---:|---:|---:|---:|
END
for topology in standalone sentinel cluster quorum; do
	chaos holdfast $topology
done
for library in redisson spring; do
	chaos $library standalone
done
cat <<-END

	The histories are in \`lock-chaos/target/proof\`. \`lock-chaos/run.sh --check DIRECTORY\`, with the options of the run, checks one again.
END
rm -rf "$work/clone"
exit $verdict
