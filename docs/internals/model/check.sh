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

# check.sh: checks lock.pml and session.pml with Spin, and that it finds the error of every mutant. Prints
# tables, and fails if a correct variant has an error or a mutant has not the error that it must have.
# Needs spin (6.5) and gcc.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# What Spin says if a property does not hold.
together='kind!=1'
free='waiting==0'
believed='trust\[k\]==0'
owed='owed\['
overtaken='overtaken\['
token='topWriter'
asleep='invalid end state'
starved='acceptance cycle'

# run EXPECTED NAME SWITCHES: EXPECTED is what the error looks like, or "none".
run() {
  local expected=$1 name=$2 switches=$3 verifier='-DSAFETY -DNOCLAIM' options='' found result
  if [[ $name == served* ]]; then
    switches="-DTIMELY $switches" verifier='-DNFAIR=4' options='-a -f'
  fi
  # shellcheck disable=SC2086 # the switches are words
  if ! { spin $switches -a "$here/$model" && gcc -O1 -w $verifier -DNOREDUCE -DMEMLIM=6000 -o pan pan.c; } > out 2>&1; then
    cat out
    exit 1
  fi
  # shellcheck disable=SC2086
  ./pan -m1000000 -w22 $options > out 2>&1
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

# table MODEL: what follows is about that one.
table() {
  model=$1
  printf '\n%s\n\n| variant | switches | result | states | time | memory |\n|---|---|---|---|---|---|\n' "$model"
}

spin -V
table lock.pml

once='-DSPARE=0 -DFAULTS=0'
fault='-DSPARE=0 -DFAULTS=1'
twice='-DWISHES=12 -DRENEWALS=0'
three='-DCLIENTS=3 -DLEASE=1 -DRENEWALS=0'
four='-DCLIENTS=4 -DKINDS=2121 -DRENEWALS=0'

correct 'two writers, once each, 1 fault' "$fault"
correct 'two writers, once each, 2 faults' '-DSPARE=0 -DFAULTS=2 -DRENEWALS=0'
correct 'two writers, twice and once' "-DWISHES=12 $once"
correct 'two writers, twice and once, 1 fault, no death' "$twice $fault -DNO_DEATH"
correct 'two writers, a request may come to nothing' '-DSPARE=1 -DFAULTS=0'
correct 'a writer that reads on, a reader, 1 fault' "-DKINDS=21 -DDOWNGRADES $fault -DRENEWALS=0"
correct 'readers twice and once, 1 fault, no death' "-DKINDS=22 $twice $fault -DNO_DEATH"
correct 'two readers and a writer' "-DKINDS=122 $three $once"
correct 'permits: 2 and 2 of 3, 1 fault' "-DKINDS=33 -DUNITS=22 -DLIMIT=3 $fault -DRENEWALS=0"
correct 'permits: 1, 1 and 2 of 2' "-DKINDS=333 -DUNITS=211 $three $once"
correct 'permits, a reader and a writer' "-DKINDS=321 $three $once"
correct 'served: two writers, twice and once' "$twice -DSPARE=1 -DFAULTS=0"
correct 'served: two writers, once each, 1 fault' '-DSPARE=1 -DFAULTS=1'
correct 'served: two writers, twice and once, 1 fault' "$twice -DSPARE=2 -DFAULTS=1"
correct 'served: a writer and a reader, 1 fault' '-DKINDS=21 -DDOWNGRADES -DSPARE=1 -DFAULTS=1'
correct 'served: two readers and a writer, 1 fault' '-DCLIENTS=3 -DKINDS=122 -DRENEWALS=0 -DSPARE=1 -DFAULTS=1'
correct 'served: two writers and two readers, one of them fair' "$four -DFAIR=1000 $once"

mutant "$together" 'readers are let in beside a writer' "-DBESIDE_WRITER -DKINDS=21 $once"
mutant "$together" 'permits: one more than the limit' "-DONE_TOO_MANY -DKINDS=33 -DUNITS=22 -DLIMIT=3 $once"
mutant "$overtaken" 'room goes to whoever comes' "-DBARGING -DKINDS=122 $three $once"
mutant "$overtaken" 'served: the turn of readers passes a fair writer' "-DTURN_PASSES_FAIR $four -DFAIR=100 $once"
mutant "$token" 'readers have the token before theirs' "-DOLD_TOKEN -DKINDS=21 $once"
mutant "$free" 'dead heads keep their place' "-DDEAD_HEADS $once"
mutant "$free" 'a release lets nobody in' "-DNO_ADVANCE $once"
mutant "$believed" 'a release ends any hold' "-DANY_HOLD $once"
mutant "$believed" 'a renewal is of any hold' "-DRENEW_ANY $once"
mutant "$believed" 'a downgrade is of any hold' "-DDOWNGRADE_ANY -DDOWNGRADES $fault"
mutant "$believed" 'an answer is believed from when it came' "-DFROM_ANSWER $once"
mutant "$believed" 'a message is believed from when it came' "-DFROM_MESSAGE $once"
mutant "$believed" 'Queued believes the message of an older hold' "-DOLD_MESSAGE $twice $fault -DNO_DEATH"
mutant "$owed" 'a release that crossed a question is not sent again' "-DCROSSED $fault"
mutant "$owed" 'what is lost is not owed' "-DUNOWED $once"
mutant "$owed" 'a request that is given up keeps its place' "-DKEPT_PLACE $fault"
mutant "$owed" 'questions have no deadline' "-DNO_DEADLINE $fault"
mutant "$owed" 'a question is sent twice, the first one runs last' '-DREPEATS -DMEMORY=3 -DSPARE=0 -DFAULTS=2 -DRENEWALS=0 -DNO_DEATH'
mutant "$asleep" 'waiters rely on messages' "-DNO_QUESTIONS $once"
mutant "$starved" 'served: waiters rely on messages' '-DNO_QUESTIONS -DSPARE=1 -DFAULTS=0'

sure='stamp==held'
soon='deadFor<='
paused='listening\['
alone='-DNO_GHOSTS'
late='-DLATE_ANSWERS -DFIRST=1'
timely='-DTIMELY -DGRACE=2 -DLEASE=4'
table session.pml

correct 'two sessions, another client has the lock once' ''
correct 'one session' '-DSESSIONS=1'
correct 'three sessions, no command runs late' "-DSESSIONS=3 $alone"
correct 'a grace of two ticks, no command runs late' "-DGRACE=2 -DLEASE=3 $alone"
correct 'the owner has it twice, no command runs late' "-DREQUESTS=2 $alone"
correct 'an owner that is paused keeps it' "-DPAUSES $alone"
correct 'short holds by message, late answers' "$late"
correct 'timely: a dead owner loses it, one that lives does not' "$timely -DSESSIONS=3"

mutant "$sure" 'an owner believes in its lease alone' '-DLEASE_ONLY'
mutant "$sure" 'others wait for less than the grace' "-DGRACE_TOO_SHORT -DGRACE=2 -DLEASE=3 $alone"
mutant "$sure" 'a hold ends when its session is seen to be gone' '-DAT_FIRST_SIGHT'
mutant "$sure" 'a command of the hold does not end the doubt' '-DDOUBT_STAYS'
mutant "$sure" 'a doubt outlives its hold' "-DDOUBT_OUTLIVES -DREQUESTS=2 $alone"
mutant "$sure" 'a session comes back' '-DSAME_SESSION'
mutant "$sure" 'any server tells that a session is gone' '-DANY_SERVER'
mutant "$sure" 'any session that is gone accuses the hold' '-DANY_SESSION'
mutant "$sure" 'any session that lives proves the hold' '-DPROOF_OF_ANY'
mutant "$sure" 'what was heard counts from the answer' '-DFROM_ANSWER'
mutant "$sure" 'what was heard counts from the message' '-DFROM_MESSAGE'
mutant "$sure" 'a hold counts as tied anew when that is sent' '-DTIED_BEFORE_ANSWER'
mutant "$sure" 'a hold is tied to the session of when it begins' '-DTIE_ASSUMED'
mutant "$sure" 'a late renewal ties the hold back' '-DTIES_BACK'
mutant "$sure" 'a later hold of the same request counts as the one before' '-DANOTHER_HOLD'
mutant "$sure" 'what was told of an earlier hold counts' "-DEARLIER_HOLD $late"
mutant "$soon" 'timely: each look begins the doubt anew' "$timely -DRENEWED_DOUBT"
mutant "$paused" 'an owner that says nothing is doubted' "-DPAUSES -DSILENCE $alone"

exit "$((failures > 0))"
