#!/bin/bash
#
# Copyright 2026 the Holdfast authors.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      https://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

# check.sh [quick]: checks queue.pml with Spin, and that it finds the error of every mutant.
# Prints a table, and fails if a correct variant has an error or a mutant has not the error that
# it must have. Needs spin (6.5) and gcc.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# What Spin says if a property does not hold.
exclusion='phase\[0\]==.*trust\[0\]>0'
overtaken='place\[i\]>1|before\['
ghost='once.valid>0'
repeat='over&'
order='seen_turn'
asleep='invalid end state'
starved='acceptance cycle'

# run EXPECTED NAME SWITCHES: EXPECTED is what the error looks like, or "none".
run() {
  local expected=$1 name=$2 switches=$3 verifier='-DSAFETY -DNOCLAIM' options='' found result
  if [[ $expected == "$starved" || $name == served* ]]; then
    switches="-DTIMELY $switches" verifier='-DNFAIR=3' options='-a -f'
  fi
  # shellcheck disable=SC2086 # the switches are words
  if ! { spin $switches -a "$here/queue.pml" && gcc -O2 -w $verifier -DNOREDUCE -DMEMLIM=6000 -o pan pan.c; } > out 2>&1; then
    cat out
    exit 1
  fi
  # shellcheck disable=SC2086
  ./pan -m1000000 -w24 $options > out 2>&1
  found=$(grep '^pan:1:' out | head -1)
  if ! grep -q 'errors: [01]$' out || grep -qE 'max search depth too small|reached -DMEMLIM|^Interrupted' out; then
    result='not finished'
  elif [[ -z $found ]]; then
    result='no error'
  elif [[ $expected != none ]] && grep -qE -- "$expected" <<< "$found"; then
    result='found'
  else
    result="WRONG: ${found#pan:1: }"
  fi
  if [[ ($expected == none && $result != 'no error') || ($expected != none && $result != found) ]]; then
    failures=$((failures + 1))
  fi
  printf '| %s | `%s` | %s | %s | %s s | %s MB |\n' "$name" "$switches" "$result" \
    "$(awk '/states, stored/ { print $1 }' out)" "$(awk '/elapsed time/ { print $4 }' out)" \
    "$(awk '/total actual memory/ { printf "%.0f", $1 }' out)"
}

correct() { run none "$@"; }
mutant() { run "$@"; }

spin -V
printf '\n| variant | switches | result | states | time | memory |\n|---|---|---|---|---|---|\n'

small='-DTENURES=1 -DSPARE=0'
twice='-DTENURES=2 -DOTHERS=1 -DSPARE=0 -DRENEWALS=0'

correct 'two clients, once each, 2 faults' "$small -DFAULTS=2"
correct 'two clients, twice each' '-DTENURES=2 -DSPARE=0 -DFAULTS=0'
correct 'three clients' "-DCLIENTS=3 $small -DFAULTS=0"
correct 'in good time, 1 fault' '-DTIMELY -DTENURES=1 -DSPARE=1 -DFAULTS=1'
correct 'resource' "$twice -DFAULTS=0 -DRESOURCE"
correct 'resource, data lost' "$small -DFAULTS=1 -DRESOURCE -DDATA_LOSS"
correct 'served: two clients' '-DTENURES=2 -DSPARE=1 -DFAULTS=0'
correct 'served: two clients, 1 fault' '-DTENURES=1 -DSPARE=1 -DFAULTS=1'
correct 'served: two clients, twice and once, 1 fault' '-DTENURES=2 -DOTHERS=1 -DSPARE=2 -DFAULTS=1 -DRENEWALS=0'

mutant "$exclusion" 'a release frees any hold' "$twice -DFAULTS=0 -DNO_OWNER_CHECK"
mutant "$exclusion" 'a renewal extends any hold' "$small -DFAULTS=0 -DRENEW_ANY"
mutant "$exclusion" 'an answer is believed from when it came' "$small -DFAULTS=0 -DBELIEVE_FROM_ANSWER"
mutant "$exclusion" 'a message is believed from when it came' "$twice -DFAULTS=0 -DBELIEVE_LATE_MESSAGE"
mutant "$exclusion" 'a message of an earlier hold is believed' "$twice -DFAULTS=1 -DBELIEVE_ANY_MESSAGE"
mutant "$repeat" 'a repeat is a new request' "$small -DFAULTS=1 -DNOT_REPEAT_SAFE"
mutant "$ghost" 'requests have no deadline' "$small -DFAULTS=1 -DNO_NOT_AFTER"
mutant "$ghost" 'asking again joins again' "$small -DFAULTS=1 -DJOIN_AGAIN"
mutant "$overtaken" 'a free lock goes to whoever comes' '-DTIMELY -DTENURES=1 -DSPARE=1 -DFAULTS=1 -DBARGING'
mutant "$order" 'a token is the latest one plus one' "$small -DFAULTS=1 -DRESOURCE -DDATA_LOSS -DPLAIN_TOKENS"
mutant "$order" 'the resource takes any token' "$small -DFAULTS=0 -DRESOURCE -DNO_FENCE"
mutant "$asleep" 'waiters rely on messages' "$small -DFAULTS=0 -DNO_ASK"
mutant "$starved" 'waiters rely on messages, and live' '-DTENURES=2 -DSPARE=1 -DFAULTS=0 -DNO_ASK'
mutant "$starved" 'dead heads keep their place' '-DTENURES=2 -DOTHERS=1 -DSPARE=2 -DFAULTS=1 -DRENEWALS=0 -DNO_EVICT'

if [[ ${1-} != quick ]]; then
  correct 'two clients, twice and once, 1 fault' "$twice -DFAULTS=1"
  correct 'in good time, twice each, 1 fault' '-DTIMELY -DTENURES=2 -DSPARE=2 -DFAULTS=1'
  correct 'two clients, twice each, 1 fault' '-DTENURES=2 -DSPARE=0 -DFAULTS=1 -DRENEWALS=0'
  correct 'two clients, twice and once, 1 fault, renewals' '-DTENURES=2 -DOTHERS=1 -DSPARE=0 -DFAULTS=1'
  correct 'three clients, 1 fault' "-DCLIENTS=3 $small -DFAULTS=1 -DRENEWALS=0 -DLEASE=1"
  correct 'served: two clients, 2 faults' '-DTENURES=1 -DSPARE=2 -DFAULTS=2'
  correct 'served: two clients, twice each, 1 fault' '-DTENURES=2 -DSPARE=2 -DFAULTS=1'
  correct 'served: three clients, 1 fault' '-DCLIENTS=3 -DTENURES=1 -DSPARE=1 -DFAULTS=1'
fi

if ((failures > 0)); then
  echo "$failures of these are not as they must be"
  exit 1
fi
