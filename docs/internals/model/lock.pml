/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

/*
 * One lock in Redis, its clients, and what may go wrong between them. README.md says which code
 * each part stands for, and how to check it. A switch that README.md calls a mutant breaks one rule.
 */

/* -- Bounds ---------------------------------------------------------------------------------- */

#define X 1                     /* exclusive */
#define S 2                     /* shared: a reader */
#define P 3                     /* permits */

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef KINDS                   /* of wishes: a decimal digit for each client, the last for client 0 */
#define KINDS 1111
#endif
#ifndef UNITS
#define UNITS 1111
#endif
#ifndef FAIR
#define FAIR 0
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef WISHES                  /* how many callers each client has, one after the other */
#define WISHES 1111
#endif
#ifndef SPARE                   /* requests of a client that may come to nothing */
#define SPARE 1
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef RENEWALS                /* of each hold */
#define RENEWALS 1
#endif
#ifndef LEASE                   /* ticks */
#define LEASE 2
#endif
#define PLACE 2                 /* ticks that a place lasts */
#define FIRST (LEASE < PLACE -> LEASE : PLACE)  /* a hold that somebody else's script granted */
#define VALID 1                 /* ticks in which a question may be carried out */
#define ENOUGH LEASE            /* Hold.isEnough */
#ifndef MEMORY
#define MEMORY 1                /* releases that the lock remembers */
#endif

#define digit(number, c) (c == 0 -> (number) % 10 : (c == 1 -> ((number) / 10) % 10 \
  : (c == 2 -> ((number) / 100) % 10 : ((number) / 1000) % 10)))
#define IDS (2 + SPARE)         /* ids of each client */
#define REQUESTS (CLIENTS * IDS)
#define client_of(r) (((r) - 1) / IDS)
#define first_of(c) (1 + (c) * IDS)
#define last_of(c) (digit(WISHES, c) + SPARE + (c) * IDS)
#define units_of(r) digit(UNITS, client_of(r))
#define is_fair(r) (digit(FAIR, client_of(r)) == 1)

/* -- Redis ----------------------------------------------------------------------------------- */

#define NOTHING 0
byte kind;                      /* of those who hold the lock */
byte hold[REQUESTS + 1];        /* 0: none. 1: over, and nobody has looked. Else ticks left, plus 1 */
byte stamp[REQUESTS + 1];       /* of its latest hold */
bool downgraded[REQUESTS + 1];
byte queue[REQUESTS];
byte waiting;
byte place[REQUESTS + 1];       /* ticks until it is dead */
bool overtaken[REQUESTS + 1];
byte released[MEMORY];
byte token, last;
byte top, topWriter;            /* of all ever given out: nothing that Redis has */
byte granted[REQUESTS + 1];     /* stamp in the message to its client that is on the way */

#define mode_of(r) (downgraded[r] -> S : digit(KINDS, client_of(r)))

/* -- Clients --------------------------------------------------------------------------------- */

#define IDLE 0
#define ASKING 1
#define QUEUED 2
#define UNPROVEN 3
#define HELD 4
#define DONE 5
#define DEAD 6
byte stage[CLIENTS];
byte request[CLIENTS];          /* the one in the map */
byte wishes[CLIENTS];           /* callers that have no grant yet */
byte age[CLIENTS];              /* ticks: Asking.since, Queued.heard */
byte spent[CLIENTS];
byte trust[CLIENTS];            /* ticks for which it believes in its hold */
byte renewals[CLIENTS];
byte reads[CLIENTS];            /* a writer that reads on: 1 until that is answered, then 2 */
bool owed[REQUESTS + 1];
byte doubt[REQUESTS + 1];       /* ticks until no question without an answer can run: doubtfulUntil */

#define ASK 1
#define RENEW 2
#define DOWNGRADE 3
typedef Command {
  byte kind;
  byte id;
  byte gone;                    /* what a release that takes a question along gives up */
  byte valid;
  bool ran;
  bool old                      /* a message has overtaken its answer */
};
Command call[CLIENTS];          /* under way */
Command ghost[CLIENTS];         /* the client waits for it no more; it may still run */
byte sent[CLIENTS];             /* ticks since the call was sent */

#define HOLDS 1
#define WAITS 2
#define NONE 3
#define LATE 4
typedef Answer {
  byte word;
  byte left;
  byte last
};
Answer answer[CLIENTS];

byte faults = FAULTS;

/* For the steps; no part of the state between them. */
hidden byte j, k, n, t, used, head, ago;
hidden byte had, known, turn, late, fit, soon;
Command one;                    /* empty between steps */
hidden byte word, rest, latest;

#define max(a, b) ((a) > (b) -> (a) : (b))
#define is_live(c) (stage[c] < DONE)
#define is_over(c) (stage[c] >= DONE)
#define free(c) (call[c].kind == 0)
#define under_way(c) (!free(c) && call[c].id == request[c] && !call[c].old)
#define has(r) (hold[r] > 0 || place[r] > 0)

inline clear(command) {
  command.kind = 0; command.id = 0; command.gone = 0; command.valid = 0; command.ran = false; command.old = false
}

inline copy(from, to) {
  to.kind = from.kind; to.id = from.id; to.gone = from.gone; to.valid = from.valid; to.ran = from.ran; to.old = false
}

/* What must always be true. */
inline check() {
  n = 0; used = 0; turn = false;
  for (k : 1 .. REQUESTS) {
    if
    :: hold[k] > 0 -> n++; used = used + units_of(k); turn = turn || mode_of(k) != kind
    :: else
    fi;
    /* What a living client has in Redis it knows of, or owes. */
    assert(stage[client_of(k)] == DEAD || !(hold[k] > 1 || place[k] > 0) || owed[k]
      || (is_live(client_of(k)) && request[client_of(k)] == k))
  }
  /* Who holds the lock may hold it together. */
  assert(!turn && (n > 0) == (kind != NOTHING) && (kind != X || n == 1) && (kind != P || used <= LIMIT));
  /* Nobody waits for a lock that nobody holds. */
  assert(kind != NOTHING || waiting == 0);
  /* Who believes in a hold has it, for as long at least. */
  for (k : 0 .. CLIENTS - 1) {
    assert(stage[k] != HELD || trust[k] == 0
      || (hold[request[k]] > trust[k] && (digit(KINDS, k) != X || reads[k] > 0 || kind == X)))
  }
  n = 0; used = 0; turn = false; k = 0
}

/* -- lock-holds.lua -------------------------------------------------------------------------- */

inline remember(r) {
  for (j : 1 .. MEMORY - 1) {
    released[MEMORY - j] = released[MEMORY - j - 1]
  }
  released[0] = r; j = 0
}

inline end_hold(r) {
  hold[r] = 0; downgraded[r] = false; stamp[r] = 0;
  fit = false;
  for (j : 1 .. REQUESTS) { fit = fit || hold[j] > 0 }
  kind = (fit -> kind : NOTHING);
  token = (fit -> token : last);
  fit = false; j = 0
}

inline purge() {
  for (k : 1 .. REQUESTS) {
    if
    :: hold[k] == 1 -> end_hold(k)
    :: else
    fi
  }
  k = 0
}

inline grant(r, ticks) {
  assert(kind == NOTHING || (kind != X && kind == mode_of(r)));
  hold[r] = 1 + (ticks);
  last++;
  stamp[r] = last;
  if
#ifdef OLD_TOKEN
  :: kind == NOTHING -> kind = mode_of(r); token = (kind == S && token > 0 -> token : last)
#else
  :: kind == NOTHING -> kind = mode_of(r); token = last
#endif
  :: else
  fi;
  /* Larger than that of every earlier grant that excluded this one. */
  assert(mode_of(r) == X -> last > top : (mode_of(r) == S -> token : last) > topWriter);
  top = max(top, last);
  topWriter = (mode_of(r) == X -> last : topWriter)
}

/* -- lock-places.lua ------------------------------------------------------------------------- */

inline leave(r) {
  j = 0;
  do
  :: queue[j] == r -> break
  :: else -> j++
  od;
  do
  :: j < waiting - 1 -> queue[j] = queue[j + 1]; j++
  :: else -> break
  od;
  queue[j] = 0; waiting--; place[r] = 0; overtaken[r] = false; j = 0
}

inline join(r) {
  queue[waiting] = r; waiting++; place[r] = PLACE
}

#ifdef BESIDE_WRITER
#define is_free(r) (kind == NOTHING || mode_of(r) == S)
#else
#define is_free(r) (kind == NOTHING)
#endif
#ifdef ONE_TOO_MANY
#define room (LIMIT + 1)
#else
#define room LIMIT
#endif

inline fits(r) {
  used = 0;
  for (j : 1 .. REQUESTS) { used = used + (hold[j] > 0 -> units_of(j) : 0) }
  fit = is_free(r) || (kind == mode_of(r) && (kind == S || (kind == P && used + units_of(r) <= room)));
  used = 0; j = 0
}

inline is_queued(r) {
  known = false;
  for (j : 0 .. REQUESTS - 1) { known = known || queue[j] == r }
  j = 0
}

/* The place at n is let in: those before it that live are overtaken. */
inline pass(r) {
  for (j : 0 .. n) {
    if
    :: j < n && place[queue[j]] > 0 ->
      assert(mode_of(r) == S && turn && !overtaken[queue[j]] && !is_fair(queue[j]) && !is_fair(r));
      overtaken[queue[j]] = true
    :: else
    fi
  }
  j = 0
}

/* Grants from the head while it fits, and with a reader all readers behind it. */
inline advance(asking) {
  n = 0; turn = false;
  do
  :: !turn && waiting == 0 -> break
  :: turn && n >= waiting -> turn = false; n = 0
#ifndef TURN_PASSES_FAIR
  :: turn && n < waiting && is_fair(queue[n]) -> turn = false; n = 0
  :: turn && n < waiting && !is_fair(queue[n]) && mode_of(queue[n]) != S -> n++
  :: (!turn && waiting > 0) || (turn && n < waiting && !is_fair(queue[n]) && mode_of(queue[n]) == S) ->
#else
  :: turn && n < waiting && mode_of(queue[n]) != S -> n++
  :: (!turn && waiting > 0) || (turn && n < waiting && mode_of(queue[n]) == S) ->
#endif
    head = queue[n];
    if
    :: place[head] == 0 ->
#ifdef DEAD_HEADS
      break
#else
      leave(head)
#endif
    :: else ->
      fits(head);
      if
      :: !fit -> break
      :: else ->
        pass(head);
        leave(head);
        if
        :: head == asking -> grant(head, LEASE)
        :: else ->
          grant(head, FIRST);
          /* Who has given it up hears nothing. */
          granted[head] = (is_live(client_of(head)) && request[client_of(head)] == head -> stamp[head] : 0)
        fi;
        turn = mode_of(head) == S
      fi
    fi
  od;
  n = 0; turn = false; head = 0; fit = false
}

inline stand(r) {
  word = (hold[r] > 0 -> HOLDS : (place[r] > 0 -> WAITS : NONE));
  rest = (hold[r] > 0 -> hold[r] - 1 : 0);
  latest = (hold[r] > 0 -> stamp[r] : last)
}

/* -- Scripts --------------------------------------------------------------------------------- */

inline is_known(r) {
  is_queued(r);
  known = known || hold[r] > 0;
  for (j : 0 .. MEMORY - 1) { known = known || released[j] == r }
  j = 0
}

/* lock-acquire-step.lua */
inline acquire(r, in_time) {
  purge();
  is_known(r);
  late = !has(r) && (known || !(in_time));
  is_queued(r);
  if
  :: known -> place[r] = PLACE; late = false
  :: else ->
#ifdef BARGING
    fits(r);
    if
    :: !late && hold[r] == 0 && fit -> n = waiting; pass(r); n = 0; grant(r, LEASE)
    :: !late && hold[r] == 0 && !fit -> join(r)
    :: else
    fi
#else
    if
    :: !late && hold[r] == 0 -> join(r)
    :: else
    fi
#endif
  fi;
  advance(r);
  stand(r);
  word = (late -> LATE : word);
  late = false; known = false
}

/* lock-release-step.lua */
inline release(r, following, in_time) {
  is_queued(r);
  had = known || hold[r] > 0;
  if
#ifdef ANY_HOLD
  :: hold[r] == 0 && !known && kind == X ->
    for (k : 1 .. REQUESTS) {
      if
      :: hold[k] > 0 -> head = k
      :: else
      fi
    }
    end_hold(head); had = true; head = 0
#endif
  :: hold[r] > 0 -> end_hold(r); remember(r)
#ifndef KEPT_PLACE
  :: hold[r] == 0 && known -> leave(r)
#endif
  :: else
  fi;
  if
  :: had -> purge()
  :: else
  fi;
  known = false;
  if
  :: following > 0 -> is_known(following)
  :: else
  fi;
  if
  :: following > 0 && in_time && !known -> join(following)
  :: else
  fi;
  if
#ifdef NO_ADVANCE
  :: false
#else
  :: had || following > 0 -> advance(following)
#endif
  :: else
  fi;
  stand(following);
  word = (word == NONE -> LATE : word);
  had = false; known = false
}

/* lock-renew.lua */
inline renew(r) {
  purge();
  is_queued(r);
  if
#ifdef RENEW_ANY
  :: hold[r] == 0 && !known && kind == X ->
    for (k : 1 .. REQUESTS) { hold[k] = (hold[k] > 0 -> 1 + LEASE : 0) }
    hold[r] = 0
#endif
  :: hold[r] > 0 -> hold[r] = max(hold[r], 1 + LEASE)
  :: hold[r] == 0 && known -> place[r] = PLACE
  :: else
  fi;
  known = false;
  advance(r);
  stand(r)
#ifdef RENEW_ANY
  ;
  word = (kind == X && word == NONE -> HOLDS : word); rest = LEASE
#endif
}

/* lock-downgrade.lua */
inline downgrade(r) {
  purge();
  if
#ifdef DOWNGRADE_ANY
  :: kind == X ->
    for (k : 1 .. REQUESTS) { head = (hold[k] > 0 -> k : head) }
    kind = S; last++; token = last; stamp[head] = last; downgraded[head] = true; top = last; head = 0
#else
  :: hold[r] > 0 && kind == X ->
    kind = S; last++; token = last; stamp[r] = last; downgraded[r] = true;
    assert(last > topWriter); top = last
#endif
  :: else
  fi;
  advance(0);
  stand(r)
}

/* -- Engine ---------------------------------------------------------------------------------- */

inline ask(c, give) {
  call[c].kind = ASK; call[c].id = request[c]; call[c].gone = (give);
  call[c].valid = VALID; sent[c] = 0;
  age[c] = (stage[c] == IDLE -> 0 : age[c]);
  stage[c] = ASKING
}

inline say(c, what) {
  call[c].kind = what; call[c].id = request[c]; sent[c] = 0
}

/* Claims.giveUp: whatever may be in Redis is owed. */
inline give_up(c, absent) {
  n = request[c];
  if
  :: !free(c) && call[c].kind == ASK && call[c].id == n -> doubt[n] = max(doubt[n], call[c].valid)
  :: else
  fi;
#ifndef UNOWED
  owed[n] = stage[c] != IDLE && (!(absent) || doubt[n] > 0);
#else
  owed[n] = stage[c] != IDLE && (stage[c] != HELD || trust[c] > 0) && (!(absent) || doubt[n] > 0);
#endif
  granted[n] = 0; stage[c] = IDLE;
  age[c] = 0; spent[c] = 0; trust[c] = 0; renewals[c] = 0; reads[c] = 0
}

#ifdef TIMELY
/* In good time nothing comes to nothing but by a fault. */
#define spare_lasts(c) assert(wishes[c] == 0)
#else
#define spare_lasts(c) skip
#endif

/* The line goes on with another request, which a release takes along if that can be. */
inline go_on(c, together) {
  n = request[c];
  if
  :: wishes[c] == 0 || n == last_of(c) ->
    spare_lasts(c);
    wishes[c] = 0; stage[c] = DONE
  :: else ->
    request[c] = n + 1;
    if
    :: (together) && owed[n] && free(c) -> ask(c, n)
    :: else
    fi
  fi;
  n = 0
}

/* Request.startOver */
inline start_over(c, absent) {
  give_up(c, absent);
  go_on(c, true)
}

/* The end of Line.settle: nobody waits any more. */
inline settle(c) {
  if
  :: stage[c] < HELD && wishes[c] == 0 && !under_way(c) -> give_up(c, false); go_on(c, false)
  :: else
  fi
}

/* Stage.begin */
inline begin(c, ticks) {
  trust[c] = (ticks > ago -> ticks - ago : 0);
  if
  :: stage[c] == UNPROVEN && trust[c] == 0 -> start_over(c, false)
  :: stage[c] != UNPROVEN && trust[c] < ENOUGH -> stage[c] = UNPROVEN
  :: else ->
    stage[c] = HELD;
    age[c] = 0; spent[c] = 0;
    if
    :: wishes[c] > 0 -> wishes[c]--; renewals[c] = RENEWALS
    :: else -> give_up(c, false); go_on(c, false)
    fi
  fi;
  ago = 0
}

/* Request.answered, and Stage.holds, waits, none and late. */
inline take_answer(c) {
  word = answer[c].word;
  ago = sent[c];
#ifdef FROM_ANSWER
  ago = 0;
#endif
  copy(call[c], one); one.old = call[c].old;
  rest = answer[c].left; latest = answer[c].last;
  answer[c].word = 0; answer[c].left = 0; answer[c].last = 0;
  clear(call[c]);
  if
  :: is_over(c) || one.id != request[c]  /* Owed.outcome: owed releases are sent again */
  :: else ->
    if
    :: word == HOLDS && stage[c] == HELD ->
      if
      :: one.kind == DOWNGRADE -> reads[c] = 2
      :: one.kind != DOWNGRADE && reads[c] != 1 && rest > ago -> trust[c] = max(trust[c], rest - ago)
      :: else
      fi
    :: word == HOLDS && stage[c] != HELD -> begin(c, rest)
    :: word == WAITS && (stage[c] == ASKING || stage[c] == QUEUED) ->
      stage[c] = QUEUED; age[c] = (ago < FIRST -> ago : FIRST); spent[c] = latest
    :: (word == NONE || word == LATE) && stage[c] < HELD && !one.old ->
      start_over(c, stage[c] != UNPROVEN)
    :: word == NONE && stage[c] == HELD && !one.old -> give_up(c, false); go_on(c, false)
    :: else
    fi;
    settle(c)
  fi;
  ago = 0; word = 0; rest = 0; latest = 0; sent[c] = 0; clear(one);
  check()
}

/* Request.failed: no answer is not no. */
inline fail(c) {
  had = call[c].id == request[c] && is_live(c) && !call[c].old;
  if
  :: call[c].kind == ASK -> doubt[call[c].id] = max(doubt[call[c].id], call[c].valid)
  :: else
  fi;
  copy(call[c], ghost[c]);
  clear(call[c]); sent[c] = 0;
  answer[c].word = 0; answer[c].left = 0; answer[c].last = 0;
  if
  :: had && stage[c] == UNPROVEN && trust[c] > 0 -> ago = 0; begin(c, trust[c])
  :: else
  fi;
  if
  :: had -> settle(c)
  :: else
  fi;
  had = false
}

/* A message: Stage.granted. */
inline hear(c, r) {
  t = granted[r];
  granted[r] = 0;
  if
#ifdef OLD_MESSAGE
  :: is_live(c) && request[c] == r && (stage[c] == ASKING || stage[c] == QUEUED) ->
#else
  :: is_live(c) && request[c] == r && (stage[c] == ASKING || (stage[c] == QUEUED && t > spent[c])) ->
#endif
    ago = age[c];
#ifdef FROM_MESSAGE
    ago = 0;
#endif
    call[c].old = !free(c);
    begin(c, FIRST)
  :: else
  fi;
  t = 0;
  check()
}

inline die(c) {
  copy(call[c], ghost[c]);
  clear(call[c]); sent[c] = 0;
  answer[c].word = 0; answer[c].left = 0; answer[c].last = 0;
  for (k : 1 .. REQUESTS) {
    if
    :: client_of(k) == c -> owed[k] = false; doubt[k] = 0; granted[k] = 0
    :: else
    fi
  }
  k = 0;
  wishes[c] = 0; age[c] = 0; spent[c] = 0; trust[c] = 0; renewals[c] = 0; reads[c] = 0;
  stage[c] = DEAD
}

#ifdef NO_QUESTIONS
#define asks_again(c) (stage[c] == UNPROVEN)
#else
#define asks_again(c) (stage[c] == UNPROVEN || (stage[c] == QUEUED && age[c] > 0))
#endif

proctype Client(byte c) {
  do
  :: d_step { stage[c] == IDLE && free(c) -> ask(c, 0) }
  :: d_step { stage[c] == ASKING && free(c) -> ask(c, 0) }
  :: d_step { asks_again(c) && free(c) -> say(c, RENEW) }
  :: d_step { stage[c] == HELD && trust[c] > 0 && renewals[c] > 0 && reads[c] != 1 && free(c) ->
      renewals[c]--; say(c, RENEW) }
  :: d_step { stage[c] == HELD && reads[c] == 1 && free(c) -> say(c, DOWNGRADE) }
#ifdef DOWNGRADES
  :: d_step { stage[c] == HELD && trust[c] > 0 && free(c) && reads[c] == 0 && mode_of(request[c]) == X ->
      reads[c] = 1; say(c, DOWNGRADE) }
#endif
  /* Unlocks. */
  :: d_step { stage[c] == HELD && trust[c] > 0 -> give_up(c, false); go_on(c, true) }
  /* Held.end: EXPIRED. */
  :: d_step { stage[c] == HELD && trust[c] == 0 -> give_up(c, false); go_on(c, false) }
  /* A caller's time is up. */
  :: d_step { faults > 0 && wishes[c] > 0 && stage[c] < HELD -> faults--; wishes[c]--; settle(c) }
  :: d_step { answer[c].word > 0 -> take_answer(c) }
  :: d_step { faults > 0 && !free(c) -> faults--; fail(c) }
#ifndef NO_DEATH
  :: d_step { faults > 0 && is_live(c) -> faults--; die(c) }
#endif
  :: is_over(c) && free(c) -> break
  od
}

/* -- The way to Redis ------------------------------------------------------------------------ */

inline carry_out(command) {
#ifdef NO_DEADLINE
  soon = true;
#else
  soon = command.valid > 0;
#endif
  if
  :: command.kind == ASK && command.gone == 0 -> acquire(command.id, soon)
  :: command.kind == ASK && command.gone > 0 ->
    release(command.gone, command.id, soon);
    owed[command.gone] = owed[command.gone] && doubt[command.gone] > 0
  :: command.kind == RENEW -> renew(command.id)
  :: command.kind == DOWNGRADE -> downgrade(command.id)
  fi;
  soon = false;
  command.ran = true
}

#define may_run(command) (command.kind > 0 && (!command.ran || faults > 0))
#ifdef CROSSED
#define doubtful(r) false
#else
#define doubtful(r) (doubt[r] > 0)
#endif

#define owes(c, m) ((m) < IDS && owed[first_of(c) + m] && (!doubtful(first_of(c) + m) || has(first_of(c) + m)))

proctype Connection(byte c) {
  byte r;
end:
  do
  :: d_step { may_run(call[c]) ->
      faults = (call[c].ran -> faults - 1 : faults);
      carry_out(call[c]);
      answer[c].word = word; answer[c].left = rest; answer[c].last = latest;
      word = 0; rest = 0; latest = 0;
      check() }
  :: d_step { may_run(ghost[c]) ->
      faults = (ghost[c].ran -> faults - 1 : faults);
      carry_out(ghost[c]);
      word = 0; rest = 0; latest = 0;
      check() }
  :: d_step { ghost[c].kind > 0 -> clear(ghost[c]) }
#ifdef REPEATS
  /* The driver has sent a question twice, and only the second time is answered. */
  :: d_step { faults > 0 && call[c].kind == ASK && !call[c].ran -> faults--; copy(call[c], ghost[c]) }
#endif
  /* Owed: a release, which is sent again if a question may have crossed it. */
  :: atomic {
      if
      :: owes(c, 0) -> r = first_of(c)
      :: owes(c, 1) -> r = first_of(c) + 1
      :: owes(c, 2) -> r = first_of(c) + 2
      :: owes(c, 3) -> r = first_of(c) + 3
      fi;
      d_step {
        release(r, 0, false);
        owed[r] = doubtful(r);
        word = 0; rest = 0; latest = 0; r = 0;
        check() } }
  od
}

#define on_its_way(m) (m) <= REQUESTS && granted[m] > 0 -> r = m

/* Messages come late, or never. */
proctype Messages() {
  byte r;
end:
  do
  :: atomic {
      if
      :: on_its_way(1) :: on_its_way(2) :: on_its_way(3) :: on_its_way(4) :: on_its_way(5) :: on_its_way(6)
      :: on_its_way(7) :: on_its_way(8) :: on_its_way(9) :: on_its_way(10) :: on_its_way(11) :: on_its_way(12)
      fi;
      if
      :: d_step { hear(client_of(r), r); r = 0 }
      :: d_step { granted[r] = 0; r = 0 }
      fi }
  od
}

/* -- Time ------------------------------------------------------------------------------------ */

#define ages(c) (stage[c] == ASKING || stage[c] == QUEUED)
#define counts(c) (trust[c] > 0 || call[c].valid > 0 || ghost[c].valid > 0 || (!free(c) && sent[c] < LEASE) \
  || (ages(c) && age[c] < FIRST))
/* A living client in good time has its answers, asks, renews and unlocks before the next tick. */
#define in_a_hurry(c) (is_live(c) && (!free(c) || stage[c] == IDLE || stage[c] == ASKING || asks_again(c) \
  || (stage[c] == HELD && trust[c] <= 1)))

inline down(number) {
  number = (number > 0 -> number - 1 : 0)
}

inline tick() {
  for (k : 1 .. REQUESTS) {
    hold[k] = (hold[k] > 1 -> hold[k] - 1 : hold[k]);
    down(place[k]);
    down(doubt[k])
  }
  for (k : 0 .. CLIENTS - 1) {
    down(trust[k]);
    down(call[k].valid);
    down(ghost[k].valid);
    sent[k] = (!free(k) && sent[k] < LEASE -> sent[k] + 1 : sent[k]);
    age[k] = (ages(k) && age[k] < FIRST -> age[k] + 1 : age[k])
  }
  k = 0
}

#define count(c) ((c) < CLIENTS && counts(c))
#define hurry(c) ((c) < CLIENTS && in_a_hurry(c))
#ifdef TIMELY
#define any_hurry (hurry(0) || hurry(1) || hurry(2) || hurry(3))
#define may_tick (!any_hurry || faults > 0)     /* a client that is late costs a fault */
#else
#define any_hurry false
#define may_tick true
#endif

#define lasts(r) ((r) <= REQUESTS && (hold[r] > 1 || place[r] > 0 || doubt[r] > 0))

proctype Clock() {
end:
  do
  :: d_step { (count(0) || count(1) || count(2) || count(3) || lasts(1) || lasts(2) || lasts(3) || lasts(4) || lasts(5)
        || lasts(6) || lasts(7) || lasts(8) || lasts(9) || lasts(10) || lasts(11) || lasts(12)) && may_tick ->
      faults = (any_hurry -> faults - 1 : faults);
      tick();
      check() }
  od
}

init {
  byte c;
  atomic {
    for (c : 0 .. CLIENTS - 1) {
      request[c] = first_of(c); wishes[c] = digit(WISHES, c);
      run Client(c);
      run Connection(c)
    }
    c = 0;
    run Messages();
    run Clock()
  }
}

#ifdef TIMELY
#define waits_for_ever(c) ((c) < CLIENTS && stage[c] < DONE)
ltl served { <> !(waits_for_ever(0) || waits_for_ever(1) || waits_for_ever(2) || waits_for_ever(3)) }
#endif
